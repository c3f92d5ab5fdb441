package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.tests.PeerTest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Tests of backward passes over the four workers that fail, and of the context afterwards. */
@RemoteFunctions
class BackwardErrorSuite extends DifferentiationSuite {
  /** Names of the workers and clients whose gradients fail on this worker. */
  private static final Set<String> FAILING = ConcurrentHashMap.newKeySet();

  private static final Function<Variable> FAILS_BACKWARD =
      Function.named(BackwardErrorSuite.class, "failsBackward", Variable.class, String.class);
  private static final Function<Variable> HOPS =
      Function.named(BackwardErrorSuite.class, "hops", Variable.class, List.class, String.class);

  /** Computes a square whose gradient fails while {@link #fail} demands it. */
  static Variable failsBackward(Variable x, String whose) {
    Variable y = x.mul(x);
    y.hook(
        gradient -> {
          if (FAILING.contains(whose)) {
            throw new IllegalStateException("simulated error on backward of " + whose);
          }
          return gradient;
        });
    return y;
  }

  /** Calls the workers of a path in turn; the gradient fails on the last one. */
  static Variable hops(Variable x, List<String> path, String whose) {
    return path.isEmpty()
        ? failsBackward(x.mul(x), whose)
        : rpc().sync(path.get(0), HOPS, x.mul(x), List.copyOf(path.subList(1, path.size())), whose);
  }

  static boolean fail(String whose, boolean failing) {
    return failing ? FAILING.add(whose) : FAILING.remove(whose);
  }

  /** Makes gradients of this worker's pass fail on another worker while something runs. */
  private static void failingAt(String worker, Runnable work) {
    rpc().sync(worker, BackwardErrorSuite::fail, self(), true);
    try {
      work.run();
    } finally {
      rpc().sync(worker, BackwardErrorSuite::fail, self(), false);
    }
  }

  private static void failsAt(String worker, Context context, Variable loss) {
    GridException failure =
        fails(
            Status.PASS_FAILED,
            "simulated error on backward of " + self(),
            () -> context.backward(loss));
    assertThat(failure).hasMessageContaining("worker " + worker);
    assertThat(context.gradients()).isEmpty();
  }

  /** The peer names a context by a number. Here it is an object, which may be closed. */
  @Test
  @PeerTest("test_backward_without_context")
  void backwardFailsWhenContextIsClosed() {
    Context context = open();
    Variable loss = rpc().sync(dst(), ADD, t1, t2).sum();
    context.close();
    fails(Status.CONTEXT_CLOSED, context.toString(), () -> context.backward(loss));
  }

  @Test
  @PeerTest("test_backward_invalid_args")
  void backwardFailsWhenRootIsInvalid() {
    try (Context context = open()) {
      fails(Status.BAD_ARGUMENT, "no roots", context::backward);
      fails(Status.BAD_ARGUMENT, "needs no gradient", () -> context.backward(t1.detach().sum()));
      fails(Status.BAD_ARGUMENT, "must be a scalar", () -> context.backward(t1.add(t2)));
      fails(Status.BAD_ARGUMENT, "shape=[3, 3]", () -> context.backward(t1));
    }
  }

  @Test
  @PeerTest("test_backward_autograd_engine_error")
  void backwardFailsWhenGradientFailsAfterFourHops() {
    failingAt(
        caller(),
        () -> {
          try (Context context = open()) {
            List<String> path = List.of(dst(2), dst(3), caller());
            failsAt(caller(), context, rpc().sync(dst(), HOPS, t1, path, self()).sum());
          }
        });
  }

  @Test
  @PeerTest("test_backward_python_udf_error")
  void backwardFailsWhenGradientFailsOnNestedCallee() {
    failingAt(
        dst(2),
        () -> {
          try (Context context = open()) {
            failsAt(dst(2), context, rpc().sync(dst(), HOPS, t1, List.of(dst(2)), self()).sum());
          }
        });
  }

  @Test
  @PeerTest("test_multiple_backward_with_errors")
  void backwardSucceedsAfterTwentyFailures() {
    try (Context context = open()) {
      Variable loss = rpc().sync(dst(), FAILS_BACKWARD, t1, self()).sum();
      failingAt(
          dst(),
          () -> {
            for (int i = 0; i < 20; i++) {
              failsAt(dst(), context, loss);
            }
          });
      for (int i = 0; i < 19; i++) {
        context.backward(true, loss);
      }
      assertThat(context.gradients()).containsOnlyKeys(t1);
      double[] values = t1.value().toDoubles();
      double[] sums = context.gradients().get(t1).toDoubles();
      for (int i = 0; i < sums.length; i++) {
        assertThat(sums[i] / (2 * values[i])).isBetween(18.999, 19.001);
      }
    }
  }

  /**
   * The pass succeeds or fails, depending on what happened first. In both cases it leaves nothing.
   */
  @Test
  @PeerTest("test_clean_context_during_backward")
  void backwardEndsWhenContextIsClosedMeanwhile() {
    Context context = open();
    Variable y = t1;
    for (int i = 0; i < 30; i++) {
      y = rpc().sync(dst(1 + i % 3), MY_ADD, y, t2);
    }
    Variable loss = y.sum();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
    try {
      context.backward(loss);
    } catch (GridException e) {
      assertThat(e.status())
          .as("%s", e)
          .isIn(Status.CONTEXT_CLOSED, Status.PASS_FAILED, Status.CANCELLED, Status.PASS_CONFLICT);
    }
    closed.join();
    context.close();
    fails(Status.CONTEXT_CLOSED, context.toString(), context::gradients);
  }
}
