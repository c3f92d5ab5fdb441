package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.chain;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static io.hazelgrad.tests.autograd.ThreeWorkers.WORKERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Tests of workers that die before, during and after passes, and of others that join and leave
 * meanwhile.
 */
class LostWorkerTest {
  private AutogradOptions options = AutogradOptions.defaults();

  @BeforeEach
  void choose(TestInfo test) {
    options = ThreeWorkers.options(test);
  }

  private InProcessGrids join(String... workers) {
    return InProcessGrids.join(builder -> builder.options(options), workers);
  }

  @Test
  void contextsAreFreedWhenOriginatorDies() {
    try (InProcessGrids own = join(WORKERS)) {
      Context context = Autograd.on(own.grid("A")).open();
      Variable x = input(1);
      chain(own.grid("A"), x);
      context.backward(chain(own.grid("A"), x));
      assertThat(Autograd.on(own.grid("C")).contextCount()).isEqualTo(1);
      own.kill("A");
      Fixture.awaitNothingLeft(own, "B", "C");
    }
  }

  @Test
  @PeerTest("test_backward_node_failure")
  void passNamesWorkerThatDiedBefore() {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      try (Context context = Autograd.on(grid).open()) {
        Variable x = input(1);
        Variable loss = chain(grid, x);
        Variable other = ProgramHost.of(grid).call("B", GradientFunctions::times, x).sum();
        own.kill("C");
        Await.until("C has left", DEADLINE, () -> grid.workers().size() == 2);
        long start = System.nanoTime();
        assertFails(() -> context.backward(loss), Status.WORKER_LOST, "worker C");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(context.gradients()).isEmpty();
        assertThat(grid.rpc().sync("B", GradientFunctions::gradients)).isZero();
        context.backward(other);
        assertThat(context.gradients()).hasSize(1);
      }
      Fixture.awaitNothingLeft(own, "A", "B");
    }
  }

  @Test
  @PeerTest("test_backward_node_failure_python_udf")
  void passNamesWorkerThatDiesMeanwhile() throws Exception {
    endedDuringThePassIsNamed(own -> own.kill("C"));
  }

  /** C leaves in good order. With jobs it has a moment to complete its part before. */
  @Test
  void passNamesWorkerThatLeavesMeanwhile() throws Exception {
    assumeThat(options.scheduler()).isNotEqualTo(Scheduler.JOBS);
    endedDuringThePassIsNamed(own -> own.grid("C").close());
  }

  private void endedDuringThePassIsNamed(Consumer<InProcessGrids> ending) throws Exception {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      try (Context context = Autograd.on(grid).open()) {
        Variable x = input(1);
        Variable loss = chain(grid, x);
        HeldPass held = new HeldPass(own.grid("C"));
        CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
        held.awaitRunning();
        long start = System.nanoTime();
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> ending.accept(own));
        assertFails(() -> Rpc.await(pass), Status.WORKER_LOST, "worker C");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        held.goOn();
        ended.join();
        assertThat(context.gradients()).isEmpty();
        assertThat(grid.rpc().sync("B", GradientFunctions::gradients)).isZero();
        context.backward(ProgramHost.of(grid).call("B", GradientFunctions::times, x).sum());
        assertThat(context.gradients()).hasSize(1);
      }
      Fixture.awaitNothingLeft(own, "A", "B");
    }
  }

  @Test
  void otherWorkersKeepGradientsWhenWorkerDiesBeforeCommit() {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      Variable x = input(1);
      try (Context context = Autograd.on(grid).open()) {
        Variable y = ProgramHost.of(grid).call("B", GradientFunctions::times, x);
        context.backward(true, ProgramHost.of(grid).call("C", GradientFunctions::times, y).sum());
        own.kill("C"); // It has not heard of the decision.
        double[] once = Fixture.doubles(context.gradient(x));
        assertThat(grid.rpc().sync("B", GradientFunctions::gradients)).isEqualTo(1);
        Await.until("C has left", DEADLINE, () -> grid.workers().size() == 2);
        context.backward(y.sum());
        assertThat(Fixture.doubles(context.gradient(x))).isNotEqualTo(once);
      }
      Fixture.awaitNothingLeft(own, "A", "B");
    }
  }

  /** C has heard nothing when B dies, which ran the pass. A knows that the pass was committed. */
  @Test
  void passIsWholeWhenInitiatorDiesAfterDecision() {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      Variable x = input(1);
      try (Context context = Autograd.on(grid).open()) {
        Variable y = ProgramHost.of(grid).call("C", GradientFunctions::times, x);
        assertThat(ProgramHost.of(grid).call("B", GradientFunctions::backward, y, true)).isZero();
        own.kill("B");
        Await.until(
            "C has settled the pass",
            DEADLINE,
            () ->
                own.grid("C").workers().size() == 2 && Autograd.on(own.grid("C")).passCount() == 0);
        assertThat(context.gradients()).hasSize(1);
        assertThat(grid.rpc().sync("C", GradientFunctions::gradients)).isEqualTo(1);
      }
      Fixture.awaitNothingLeft(own, "A", "C");
    }
  }

  @Test
  @PeerTest("release_of_a_context_whose_originator_died")
  void contextStaysClosedWhenMessageOfDeadOriginatorIsLate() throws Exception {
    try (InProcessGrids own = join(WORKERS)) {
      Context context = Autograd.on(own.grid("A")).open();
      Variable x = input(1);
      context.backward(ProgramHost.of(own.grid("A")).call("B", GradientFunctions::times, x).sum());
      try (RequestHold hold = RequestHold.of("GradientFunctions::watched")) {
        var unused = own.grid("A").rpc().async("C", GradientFunctions::watched, x);
        hold.awaitHeld(); // C has not heard of the context before.
        own.kill("A");
        Await.until("A has left", DEADLINE, () -> own.grid("C").workers().size() == 2);
        Fixture.awaitNothingLeft(own, "B", "C");
        int before = GradientFunctions.WATCHED.size();
        hold.close();
        Await.until("the late call is over", DEADLINE, () -> own.grid("C").activeCalls() == 0);
        assertThat(Autograd.on(own.grid("C")).contextCount()).isZero();
        assertThat(GradientFunctions.WATCHED).as("its function did not run").hasSize(before);
      }
    }
  }

  @Test
  @PeerTest("member_joins_during_backward")
  void passContinuesWhenOtherWorkersJoinAndLeave() {
    passesBesideBystanders(50);
  }

  /** Members join and leave as often as possible, about once a second. */
  @Test
  @PeerTest("member_joins_during_backward")
  @Tag("slow")
  void thousandPassesContinueWhenOtherWorkersJoinAndLeave() {
    passesBesideBystanders(1_000);
  }

  private Tensor gradientOfChain(Grid grid) {
    try (Context context = Autograd.on(grid).open()) {
      Variable x = input(1);
      context.backward(chain(grid, x));
      return Objects.requireNonNull(context.gradient(x));
    }
  }

  private void passesBesideBystanders(int enough) {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      Tensor expected = gradientOfChain(grid);
      AtomicInteger passes = new AtomicInteger();
      AtomicBoolean over = new AtomicBoolean();
      CompletableFuture<Void> comingAndGoing =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < 2 || passes.get() < enough; i++) {
                    int before = passes.get();
                    Grid bystander = own.add("D");
                    Await.until("passes go on", DEADLINE, () -> passes.get() > before + 10);
                    if (i % 2 == 1) {
                      bystander.close(); // One leaves in good order; the others die.
                    }
                    own.kill("D");
                    Await.until("D has left", DEADLINE, () -> grid.workers().size() == 3);
                  }
                } finally {
                  over.set(true);
                }
              });
      while (passes.get() < enough || !over.get()) {
        try (Context context = Autograd.on(grid).open()) {
          Variable x = input(1);
          context.backward(chain(grid, x));
          assertThat(context.gradient(x)).isEqualTo(expected);
          passes.incrementAndGet();
        } catch (GridException e) {
          throw new AssertionError("pass " + passes.get() + " failed: " + e.status(), e);
        }
      }
      comingAndGoing.join();
      Fixture.awaitNothingLeft(own, WORKERS);
    }
  }
}
