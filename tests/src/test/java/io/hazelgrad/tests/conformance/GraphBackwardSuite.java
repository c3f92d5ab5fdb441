package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.graph.Graphs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;

/** Tests of gradients that pass through deployed graphs, over the four workers. */
@RemoteFunctions
class GraphBackwardSuite extends DifferentiationSuite {
  private static final String PRODUCT = "product";
  private static final String DENSE = "dense";
  private static final String WEIGHT = "weight";
  private static final Tensor INITIAL = tensor(5, 3, 3);
  private static final Function<Variable> MUL_GRAPH = Function.graph(PRODUCT);
  private static final Function<Variable> DENSE_GRAPH = Function.graph(DENSE);
  private static final Function<Variable> NESTED =
      Function.named(
          GraphBackwardSuite.class, "nested", Variable.class, Variable.class, String.class);
  private static final Function<?> TRAIN =
      Function.named(GraphBackwardSuite.class, "train", RRef.class, Tensor.class, String.class);

  @BeforeAll
  static void deploy() {
    Graphs graphs = Graphs.of(FourWorkers.cluster().grid());
    SameDiff product = SameDiff.create();
    SDVariable a = product.placeHolder("a", DataType.DOUBLE, -1, -1);
    a.mul("out", product.placeHolder("b", DataType.DOUBLE, -1, -1));
    graphs.deploy(PRODUCT, product, "out");
    SameDiff dense = SameDiff.create();
    SDVariable x = dense.placeHolder("x", DataType.DOUBLE, -1, 3);
    dense.nn.tanh("out", x.mmul(dense.var(WEIGHT, INITIAL.toArray())));
    graphs.deploy(DENSE, dense, "out");
  }

  @AfterAll
  static void undeploy() {
    Graphs graphs = Graphs.of(FourWorkers.cluster().grid());
    assertThat(List.of(PRODUCT, DENSE)).allMatch(graphs::undeploy);
  }

  static Variable nested(Variable x, Variable y, String to) {
    return rpc().sync(to, MUL_GRAPH, x.tanh(), y).add(y);
  }

  /** Trains with a context of its own and a parameter that another worker owns. */
  static void train(RRef<Variable> weight, Tensor input, String server) {
    Variable x = Variable.parameter(input);
    try (Context context = open()) {
      context.backward(rpc().sync(server, MUL_GRAPH, weight.toHere(), x).sum());
      isClose(context.gradient(x), weight.toHere().value());
      isClose(rpc().sync(server, DifferentiationSuite::gradientOf, weight), input);
    }
  }

  /** Returns the gradient of the parameter of the called worker's copy of the graph. */
  static Tensor gradientOfParameter() {
    Variable weight = Graphs.of(grid()).parameters(DENSE).get(WEIGHT);
    return Objects.requireNonNull(currentContext().gradient(weight), "no gradient");
  }

  @Test
  @PeerTest("test_backward_simple_script_call")
  void gradientsMatchLocalOnesAfterGraph() {
    likeLocal(() -> t1.mul(t2).sum(), way -> way.call(dst(), MUL_GRAPH, t1, t2).sum(), t1, t2);
  }

  @Test
  void gradientsMatchLocalOnesAfterNestedGraph() {
    likeLocal(
        () -> t1.tanh().mul(t2).add(t2).sum(),
        way -> way.call(dst(), NESTED, t1, t2, dst(2)).sum(),
        t1,
        t2);
  }

  /** Each worker is a server, with the three others as its trainers. */
  @Test
  @PeerTest("test_trainer_ps_torchscript_functions")
  @WorkersOnly
  void trainersLeaveGradientsAtServerThroughGraph() {
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

  /** The input needs no gradient, but the parameter does, where the graph ran. */
  @Test
  void gradientOfParameterStaysWithWorkerThatRanGraph() {
    Variable weight = Variable.parameter(INITIAL);
    t1.detach().matmul(weight).tanh().sum().backward();
    for (Way way : WAYS) {
      try (Context context = open()) {
        context.backward(way.call(dst(), DENSE_GRAPH, t1.detach()).sum());
        isClose(rpc().sync(dst(), GraphBackwardSuite::gradientOfParameter), weight.grad());
        assertThat(context.gradients()).isEmpty();
      }
    }
  }
}
