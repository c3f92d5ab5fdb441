package io.hazelgrad.tests.autograd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BiFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** Functions and assertions that the tests of differentiation over workers share. */
final class Fixture {
  static final Duration DEADLINE = Duration.ofSeconds(20);

  private Fixture() {}

  static Variable input(long seed) {
    return Variable.parameter(Tensor.wrap(new Random(seed).doubles(6, -1, 1).toArray(), 2, 3));
  }

  /** Computes something on B, then on C. */
  static Variable chain(Grid grid, Variable x) {
    return ProgramHost.of(grid).call("B", GradientFunctions::hop, List.of("C"), x).sum();
  }

  static void assertFails(ThrowingCallable call, Status status, String part, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).as("%s", e).isEqualTo(status))
        .hasMessageContaining(part)
        .satisfies(e -> List.of(parts).forEach(each -> assertThat(e).hasMessageContaining(each)));
  }

  static void assertClose(String what, @Nullable Tensor actual, @Nullable Tensor expected) {
    if (expected == null || actual == null) {
      assertThat(actual).as(what).isEqualTo(expected);
      return;
    }
    assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
    assertThat(actual.toDoubles()).as(what).containsExactly(expected.toDoubles(), within(1e-12));
  }

  /** Runs a program on worker A and in one thread, and compares the gradients. */
  static void compare(
      InProcessGrids grids, String[] workers, BiFunction<ProgramHost, Variable, Variable> p) {
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    Variable x = input(1);
    p.apply(expected, x).backward();

    Grid a = grids.grid("A");
    try (Context context = Autograd.on(a).open()) {
      Variable y = input(1);
      context.backward(p.apply(ProgramHost.of(a), y));
      assertClose("x", context.gradient(y), x.grad());
      for (String worker : workers) {
        assertClose(worker, gradientOn(a, worker), expected.weight(worker).grad());
      }
      assertThat(y.grad()).isNull();
    }
  }

  /** Returns the gradient of a worker's weight in the context of this thread. */
  static @Nullable Tensor gradientOn(Grid from, String worker) {
    return from.rpc().sync(worker, GradientFunctions::gradient);
  }

  static double[] doubles(@Nullable Tensor tensor) {
    return Objects.requireNonNull(tensor).toDoubles();
  }

  /** Waits until no worker knows a context or a pass. */
  static void awaitNothingLeft(InProcessGrids grids, String... workers) {
    Await.until(
        DEADLINE,
        () -> {
          StringBuilder left = new StringBuilder();
          for (String worker : workers) {
            Autograd autograd = Autograd.on(grids.grid(worker));
            if (autograd.contextCount() + autograd.passCount() > 0) {
              left.append(worker).append(" has ").append(autograd.contextCount());
              left.append(" contexts, ").append(autograd.passCount()).append(" passes; ");
            }
          }
          return left.toString();
        });
  }
}
