package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.doubles;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of many concurrent passes, and of graphs whose waves are irregular. */
class ManyPassesTest extends ThreeWorkers {
  private static final int THREADS = 8;
  private static final int ROUNDS = 10;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  private void onAllThreads(Runnable work) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      all.add(CompletableFuture.runAsync(work, threads));
    }
    all.forEach(CompletableFuture::join);
  }

  private static double[] scaled(Tensor tensor, double factor) {
    return Arrays.stream(tensor.toDoubles()).map(value -> value * factor).toArray();
  }

  @Test
  void gradientsAreRightInManyContexts() {
    Variable x = input(1);
    double[] weights = ProgramHost.newWeight("B").value().toDoubles();
    onAllThreads(
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            try (Context context = autograd.open()) {
              Variable loss = ProgramHost.of(a).call("B", GradientFunctions::times, x).sum();
              context.backward(true, loss);
              context.backward(loss);
              assertThat(doubles(context.gradient(x)))
                  .containsExactly(Arrays.stream(weights).map(w -> w + w).toArray());
            }
          }
        });
  }

  @Test
  void gradientsAreRightInManyPassesOverOneGraph() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = ProgramHost.of(a).call("B", GradientFunctions::times, x).sum();
      onAllThreads(
          () -> {
            for (int i = 0; i < ROUNDS; i++) {
              context.backward(true, loss);
            }
          });
      assertThat(doubles(context.gradient(x)))
          .containsExactly(
              scaled(ProgramHost.newWeight("B").value(), THREADS * ROUNDS), within(1e-9));
      assertThat(doubles(Fixture.gradientOn(a, "B")))
          .containsExactly(scaled(x.value(), THREADS * ROUNDS), within(1e-9));
    }
  }

  @Test
  void gradientsAreRightInManyPassesOverSeparateGraphs() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      onAllThreads(
          () -> {
            for (int i = 0; i < ROUNDS; i++) {
              context.backward(
                  context.within(
                      () -> ProgramHost.of(a).call("B", GradientFunctions::times, x).sum()));
            }
          });
      assertThat(doubles(context.gradient(x)))
          .containsExactly(
              scaled(ProgramHost.newWeight("B").value(), THREADS * ROUNDS), within(1e-9));
    }
  }

  /** A pass that frees the graph needs it exclusively, so only one of all succeeds. */
  @Test
  void onePassSucceedsWhenManyFreeOneGraph() {
    Variable x = input(1);
    for (int round = 0; round < 5; round++) {
      try (Context context = autograd.open()) {
        Variable loss = ProgramHost.of(a).call("B", GradientFunctions::times, x).sum();
        List<Status> outcomes = new ArrayList<>();
        onAllThreads(
            () -> {
              Status outcome = null;
              try {
                context.backward(loss);
              } catch (GridException e) {
                outcome = e.status();
              }
              synchronized (outcomes) {
                outcomes.add(outcome);
              }
            });
        assertThat(outcomes)
            .containsOnlyOnce((Status) null)
            .isSubsetOf(null, Status.PASS_CONFLICT, Status.GRAPH_FREED);
        assertThat(doubles(context.gradient(x)))
            .containsExactly(ProgramHost.newWeight("B").value().toDoubles());
      }
    }
  }

  /** The first message is used last: its gradient leaves several waves after it was received. */
  @Test
  void earlyGradientFeedsMessageManyWavesLater() {
    Fixture.compare(
        grids,
        WORKERS,
        (world, x) -> {
          Variable early = world.call("B", GradientFunctions::times, x);
          Variable y = x;
          for (int i = 0; i < 6; i++) {
            y = world.call(WORKERS[1 + i % 2], GradientFunctions::times, y).tanh();
          }
          return world.call("C", GradientFunctions::join, y, early).add(early).sum();
        });
  }

  @Test
  void gradientsAreRightWhenIntermediatesAreShared() {
    Fixture.compare(
        grids,
        WORKERS,
        (world, x) -> {
          Variable shared = x.mul(x).tanh();
          Variable b = world.call("B", GradientFunctions::times, shared);
          Variable c = world.call("C", GradientFunctions::times, shared);
          Variable both = world.call("B", GradientFunctions::join, b, c);
          return world.call("C", GradientFunctions::join, both, shared).add(both).add(shared).sum();
        });
  }

  /** Two paths from A over B and C meet at C, split again, and meet at B. */
  @Test
  void gradientsAreRightForNestedDiamonds() {
    Fixture.compare(
        grids,
        WORKERS,
        (world, x) -> {
          Variable y = x;
          for (int i = 0; i < 3; i++) {
            Variable left = world.call("B", GradientFunctions::times, y);
            Variable right = world.call("C", GradientFunctions::times, y.tanh());
            y = world.call(i % 2 == 0 ? "C" : "B", GradientFunctions::join, left, right).tanh();
          }
          return y.sum();
        });
  }
}
