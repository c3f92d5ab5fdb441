package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of gradients over the four workers, compared with the same mathematics in one process. */
@RemoteFunctions
class BackwardSuite extends DifferentiationSuite {
  private static final Function<Variable> COMPLEX =
      own("complex", Variable.class, Variable.class, Variable.class);
  private static final Function<Variable> NESTED =
      own("nested", Variable.class, Variable.class, Variable.class, String.class);
  static final Function<Variable> OWN_LEAF = own("ownLeaf");
  private static final Function<Variable> MIXED = own("mixed", Variable.class, Variable.class);
  private static final Function<Variable> LOOK_UP = own("lookUp", Variable.class);
  private static final Function<List<Variable>> FIVE =
      Function.named(BackwardSuite.class, "five", Variable.class);

  private static Function<Variable> own(String method, Class<?>... types) {
    return Function.named(BackwardSuite.class, method, types);
  }

  static Variable complex(Variable x, Variable y, Variable z) {
    return x.mul(y).matmul(z).tanh().add(x);
  }

  static Variable nested(Variable x, Variable y, Variable z, String to) {
    return x.mul(y).add(rpc().sync(to, COMPLEX, x, y.tanh(), z));
  }

  static Variable ownLeaf() {
    return leaf(7, 3, 3);
  }

  static Variable mixed(Variable with, Variable without) {
    if (!with.requiresGrad() || without.requiresGrad()) {
      throw new IllegalArgumentException("flags were lost: " + with + ", " + without);
    }
    return with.add(without);
  }

  static List<Variable> five(Variable x) {
    return List.of(x, x.neg(), x.mul(x), x.tanh(), x.exp());
  }

  static Variable lookUp(Variable table) {
    Variable index = Variable.of(Tensor.of(new long[] {0, 2, 2}, 3));
    return Variable.apply("embedding", index, table);
  }

  private Variable sum() {
    return t1.add(t2).sum();
  }

  // ---- Calls ----

  @Test
  @PeerTest("test_backward_simple")
  void gradientsMatchLocalOnesAfterOperator() {
    likeLocal(this::sum, way -> way.call(dst(), ADD, t1, t2).sum(), t1, t2);
  }

  @Test
  @PeerTest("test_backward_simple_self")
  @WorkersOnly
  void gradientsMatchLocalOnesAfterOperatorOnSelf() {
    likeLocal(this::sum, way -> way.call(self(), ADD, t1, t2).sum(), t1, t2);
  }

  @Test
  @PeerTest("test_backward_simple_python_udf")
  void gradientsMatchLocalOnesAfterFunction() {
    likeLocal(this::sum, way -> way.call(dst(), MY_ADD, t1, t2).sum(), t1, t2);
  }

  @Test
  @PeerTest("test_backward_complex_python_udf")
  void gradientsMatchLocalOnesAfterComplexFunction() {
    Variable t3 = leaf(3, 3, 3);
    likeLocal(
        () -> complex(t1, t2, t3).sum(),
        way -> way.call(dst(), COMPLEX, t1, t2, t3).sum(),
        t1,
        t2,
        t3);
  }

  @Test
  @PeerTest("test_backwards_nested_python_udf")
  void gradientsMatchLocalOnesAfterNestedFunction() {
    Variable t3 = leaf(3, 3, 3);
    likeLocal(
        () -> t1.mul(t2).add(complex(t1, t2.tanh(), t3)).sum(),
        way -> way.call(dst(), NESTED, t1, t2, t3, dst(2)).sum(),
        t1,
        t2,
        t3);
  }

  @Test
  @PeerTest("test_backward_multiple_round_trips")
  void gradientsMatchLocalOnesAfterManyRoundTrips() {
    Variable plain = Variable.of(tensor(3, 3, 3));
    Variable t4 = leaf(4, 3, 3);
    likeLocal(
        () -> {
          Variable y = plain.mul(t1.add(t2));
          Variable z = t4.matmul(y);
          return z.matmul(z).add(y).sum();
        },
        way -> {
          Variable y = way.call(dst(2), MUL, plain, way.call(dst(1), ADD, t1, t2));
          Variable z = way.call(dst(3), MATMUL, t4, y);
          return way.call(dst(2), MY_ADD, way.call(dst(1), MATMUL, z, z), y).sum();
        },
        t1,
        t2,
        t4);
  }

  @Test
  @PeerTest("test_backward_different_tensor_dims")
  void gradientsMatchLocalOnesForDifferentShapes() {
    Variable a = leaf(1, 4, 6);
    Variable b = leaf(2, 6, 5);
    Variable c = leaf(3, 5, 7);
    Variable d = leaf(4, 7, 9);
    likeLocal(
        () -> a.matmul(b).matmul(c).matmul(d).sum(),
        way ->
            way.call(dst(), MATMUL, way.call(dst(2), MATMUL, way.call(dst(), MATMUL, a, b), c), d)
                .sum(),
        a,
        b,
        c,
        d);
  }

  @Test
  @PeerTest("test_backward_different_dtypes")
  void gradientsMatchLocalOnesForDifferentTypes() {
    Variable single = Variable.parameter(tensor(3, 3, 3).to(DType.FLOAT32));
    likeLocal(
        () -> t1.add(single).sum(), way -> way.call(dst(), ADD, t1, single).sum(), t1, single);
  }

  @Test
  @PeerTest("test_mixed_requires_grad")
  void gradientsMatchLocalOnesWhenOneArgumentNeedsNone() {
    Variable plain = t2.detach();
    likeLocal(() -> t1.add(plain).sum(), way -> way.call(dst(), MIXED, t1, plain).sum(), t1, plain);
  }

  @Test
  @PeerTest("test_backward_without_rpc")
  void gradientsMatchLocalOnesWithoutCalls() {
    likeLocal(this::sum, way -> sum(), t1, t2);
  }

  @Test
  @PeerTest("test_backward_no_grad_on_tensor")
  void gradientOfLeafStaysUntouchedByContext() {
    try (Context context = open()) {
      context.backward(true, rpc().sync(dst(), ADD, t1, t2).sum());
      assertThat(t1.grad()).isNull();
      sum().backward();
      Tensor local = t1.grad();
      isClose(local, context.gradient(t1));
      context.backward(rpc().sync(dst(), ADD, t1, t2).sum());
      assertThat(t1.grad()).isSameAs(local);
    }
  }

  // ---- Unused values ----

  private static Variable slice(Variable x, int from) {
    return Variable.apply(
        "slice", Attributes.of(Map.of("dim", 0, "start", from, "end", from + 1)), x);
  }

  /** The unused tensor in the middle has a gradient of zeros. */
  @Test
  @PeerTest("test_backward_unused_tensors")
  void gradientsMatchLocalOnesWhenTensorIsUnused() {
    Variable t3 = leaf(3, 3, 3);
    likeLocal(
        () -> {
          Variable all = Variable.apply("stack", t1, t2, t3);
          return slice(all, 0).matmul(slice(all, 2)).sum();
        },
        way -> {
          Variable all = way.call(dst(), Function.operator("stack"), t1, t2, t3);
          return slice(all, 0).matmul(slice(all, 2)).sum();
        },
        t1,
        t2,
        t3);
  }

  @Test
  @PeerTest("test_backward_multiple_output_tensors")
  void gradientsMatchLocalOnesWhenResultsAreUnused() {
    likeLocal(
        () -> t1.mul(t1.mul(t1)).mul(t1.exp()).sum(),
        way -> {
          List<Variable> all = rpc().sync(dst(), FIVE, t1);
          return all.get(0).mul(all.get(2)).mul(all.get(4)).sum();
        },
        t1);
  }

  /** The peer's FAST mode waits for ever for the gradient of an unused reply. */
  @Test
  @PeerTest("test_backward_unused_send_function")
  void gradientsMatchLocalOnesWhenReplyIsUnused() {
    likeLocal(
        this::sum,
        way -> {
          assertThat(way.call(dst(), MUL, t1, t2).requiresGrad()).isTrue();
          return way.call(dst(), ADD, t1, t2).sum();
        },
        t1,
        t2);
  }

  @Test
  @PeerTest("test_grad_only_on_return_value")
  void gradientStaysOnCalleeForItsOwnLeaf() {
    try (Context context = open()) {
      context.backward(rpc().sync(dst(), OWN_LEAF).sum());
      List<Tensor> there = rpc().sync(dst(), DifferentiationSuite::gradients);
      assertThat(there).hasSize(1);
      isClose(there.get(0), Tensor.full(DType.FLOAT64, 1, 3, 3));
      assertThat(context.gradients()).isEmpty();
    }
  }

  @Test
  @PeerTest("test_grad_only_on_return_value_remote")
  void gradientStaysOnOwnerForItsOwnLeaf() {
    try (Context context = open();
        RRef<Variable> there = rrefs().remote(dst(), OWN_LEAF)) {
      context.backward(there.toHere().sum());
      isClose(
          rpc().sync(dst(), DifferentiationSuite::gradientOf, there),
          Tensor.full(DType.FLOAT64, 1, 3, 3));
    }
  }

  // ---- Several roots and several passes ----

  @Test
  @PeerTest("test_backward_multiple_roots")
  void gradientsOfSeveralRootsAddUp() {
    t1.add(t2).sum().add(t1.mul(t2).sum()).add(t1.sub(t2).sum()).add(t1.div(t2).sum()).backward();
    try (Context context = open()) {
      List<Variable> roots = new ArrayList<>();
      for (String operator : List.of("add", "mul", "sub", "div")) {
        roots.add(rpc().sync(dst(), Function.<Variable>operator(operator), t1, t2).sum());
      }
      context.backward(roots.toArray(Variable[]::new));
      isClose(context.gradient(t1), t1.grad());
      isClose(context.gradient(t2), t2.grad());
    }
  }

  private void accumulated(Function<Variable> function, Object... arguments) {
    try (Context context = open()) {
      Variable loss = rpc().sync(dst(), function, arguments).sum();
      context.backward(true, loss);
      Tensor once = Objects.requireNonNull(context.gradient(t1));
      double[] before = once.toDoubles();
      context.backward(loss);
      double[] twice = Objects.requireNonNull(context.gradient(t1)).toDoubles();
      for (int i = 0; i < before.length; i++) {
        assertThat(twice[i]).isEqualTo(2 * before[i]);
      }
      assertThat(once.toDoubles()).as("nobody adds to a gradient in place").isEqualTo(before);
    }
  }

  @Test
  @PeerTest("test_backward_accumulate_grads")
  void gradientsAccumulateOverTwoPasses() {
    accumulated(MATMUL, t1, t2);
  }

  @Test
  @PeerTest("test_nested_backward_accumulate_grads")
  void gradientsAccumulateOverTwoPassesOfNestedCall() {
    accumulated(NESTED_ADD, t1, t2, dst(2));
  }

  /** Gradients are immutable, so none can share memory that another one changes. */
  @Test
  @PeerTest("test_no_grad_copy")
  void gradientsAreNotChangedInPlace() {
    accumulated(ADD, t1, t2);
  }

  /** Each worker runs a hundred passes; PassMemoryTest runs ten thousand. */
  @Test
  @PeerTest("test_multiple_backward")
  void gradientsAccumulateOverHundredPasses() {
    try (Context context = open()) {
      Variable loss = rpc().sync(dst(), MUL, t1, t2).sum();
      for (int i = 0; i < 100; i++) {
        context.backward(true, loss);
      }
      double[] factors = t2.value().toDoubles();
      double[] sums = Objects.requireNonNull(context.gradient(t1)).toDoubles();
      for (int i = 0; i < sums.length; i++) {
        assertThat(sums[i] / factors[i]).isCloseTo(100, within(1e-9));
      }
    }
  }

  /** Twenty threads on each of three workers use the same callee. */
  @Test
  @PeerTest("test_async_dist_autograd")
  void gradientsAreRightWhenTwentyThreadsShareCallee() {
    if (rank() == 0 && !isClient()) {
      return;
    }
    GridAccess grid = access();
    ExecutorService threads = Executors.newFixedThreadPool(20);
    try {
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        all.add(CompletableFuture.runAsync(() -> forwardAndBackward(grid), threads));
      }
      all.forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
  }

  private void forwardAndBackward(GridAccess grid) {
    try (Context context = Autograd.on(grid).open()) {
      Variable y = grid.rpc().sync(FourWorkers.name(0), MUL, t1, t2);
      context.backward(y.sum());
      isClose(context.gradient(t1), t2.value());
    }
  }

  @Test
  @PeerTest("test_post_hooks")
  void hooksRunAfterAccumulation() {
    AtomicInteger sum = new AtomicInteger();
    for (int step : new int[] {1, 2, 2}) {
      t1.hookAfterAccumulation(gradient -> sum.addAndGet(step));
    }
    try (Context context = open()) {
      t1.hookAfterAccumulation(gradient -> isClose(context.gradient(t1), gradient));
      context.backward(rpc().sync(dst(), ADD, t1, t2).sum());
      assertThat(sum).hasValue(5);
      assertThat(context.gradients()).hasSize(2);
    }
  }

  @Test
  @PeerTest("test_embedding_bag_with_no_grad_tensors")
  void gradientOfEmbeddingAccumulates() {
    Variable table = leaf(1, 4, 3);
    try (Context context = open()) {
      Variable loss = rpc().sync(dst(), LOOK_UP, table).sum();
      context.backward(true, loss);
      context.backward(loss);
      assertThat(Objects.requireNonNull(context.gradient(table)).toDoubles())
          .containsExactly(2, 2, 2, 0, 0, 0, 4, 4, 4, 0, 0, 0);
    }
  }

  /**
   * The peer's C++ test runs many rounds on one worker. The check after the test finds whatever
   * they leave.
   */
  @Test
  @PeerTest("TestTrainingLoop")
  void trainingLoopLeavesNothing() {
    for (int round = 0; round < 25; round++) {
      try (Context context = open();
          RRef<Variable> here = rrefs().remote(home(), ADD, t1, t2)) {
        Variable y = here.toHere();
        for (int call = 0; call < 3; call++) {
          y = rpc().sync(home(), MUL, y, t2);
          y = rpc().sync(dst(), MY_ADD, y, t1);
        }
        context.backward(y.sum());
        assertThat(context.gradients()).hasSize(2);
      }
    }
  }
}
