package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of gradients that pass through references, over the four workers. */
@RemoteFunctions
class ReferenceBackwardSuite extends DifferentiationSuite {
  private static final Function<Variable> REF_ADD = own("refAdd", RRef.class, Variable.class);
  private static final Function<Variable> NESTED_REF_ADD =
      own("nestedRefAdd", RRef.class, Variable.class, String.class);
  private static final Function<?> TRAIN =
      Function.named(ReferenceBackwardSuite.class, "train", RRef.class, Tensor.class, String.class);
  private static final Function<Variable> WEIGHTED = own("weighted", RRef.class, Variable.class);

  private static Function<Variable> own(String method, Class<?>... types) {
    return Function.named(ReferenceBackwardSuite.class, method, types);
  }

  static Variable refAdd(RRef<Variable> x, Variable y) {
    return x.toHere().add(y);
  }

  static Variable nestedRefAdd(RRef<Variable> x, Variable y, String to) {
    return rpc().sync(to, REF_ADD, x, y);
  }

  static Variable weighted(RRef<Variable> weight, Variable x) {
    return weight.localValue().mul(x);
  }

  /** Trains with a context of its own and a parameter that another worker owns. */
  static void train(RRef<Variable> weight, Tensor input, String server) {
    Variable x = Variable.parameter(input);
    try (Context context = open()) {
      context.backward(rpc().sync(server, WEIGHTED, weight, x).sum());
      isClose(context.gradient(x), weight.toHere().value());
      isClose(rpc().sync(server, DifferentiationSuite::gradientOf, weight), input);
    }
  }

  private void throughAReference(String owner, String callee, boolean nested) {
    t1.add(t2).sum().backward();
    for (Way way : WAYS) {
      try (Context context = open();
          RRef<Variable> first =
              owner.equals(self())
                  ? rrefs().local(t1)
                  : rrefs().remote(owner, BackwardSuite.OWN_LEAF)) {
        Variable sum =
            nested
                ? way.call(callee, NESTED_REF_ADD, first, t2, owner)
                : way.call(callee, REF_ADD, first, t2);
        context.backward(sum.sum());
        isClose(context.gradient(t2), t2.grad());
        Tensor ofFirst =
            owner.equals(self())
                ? context.gradient(t1)
                : rpc().sync(owner, DifferentiationSuite::gradientOf, first);
        isClose(ofFirst, t1.grad());
      }
    }
  }

  @Test
  @PeerTest("test_backward_rref")
  void gradientsPassThroughReference() {
    throughAReference(home(), dst(), false);
  }

  @Test
  @PeerTest("test_backward_rref_multi")
  void gradientsPassThroughReferencesToOneOwner() {
    if (rank() > 0 || isClient()) {
      throughAReference(FourWorkers.name(0), dst(2), false);
    }
  }

  @Test
  @PeerTest("test_backward_rref_nested")
  void gradientsPassThroughNestedReference() {
    throughAReference(dst(), dst(2), true);
  }

  /** Each worker is a server, with the three others as its trainers. */
  @Test
  @PeerTest({"test_trainer_ps", "test_backward_no_ddp"})
  @WorkersOnly
  void trainersLeaveGradientsAtServer() {
    try (RRef<Variable> weight = rrefs().local(t1)) {
      List<CompletableFuture<?>> trainers = new ArrayList<>();
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        trainers.add(rpc().async(dst(i), TRAIN, weight, tensor(10 + i, 3, 3), self()));
      }
      for (CompletableFuture<?> trainer : trainers) {
        assertThat(Rpc.await(trainer)).isNull();
      }
    }
  }
}
