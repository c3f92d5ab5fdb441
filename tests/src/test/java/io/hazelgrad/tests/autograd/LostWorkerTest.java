package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.chain;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static io.hazelgrad.tests.autograd.OnThreeWorkers.WORKERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Workers that die before, during and after passes, and that come and go beside them. */
class LostWorkerTest {
  private AutogradOptions options = AutogradOptions.defaults();

  @BeforeEach
  void choose(TestInfo test) {
    options = OnThreeWorkers.options(test);
  }

  private InProcessGrids join(String... workers) {
    return InProcessGrids.join(builder -> builder.options(options), workers);
  }

  @Test
  void contextsOfADeadOriginatorAreFreed() {
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
  void workerThatDiedBeforeThePassIsNamed() {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      try (Context context = Autograd.on(grid).open()) {
        Variable x = input(1);
        Variable loss = chain(grid, x);
        Variable other = World.of(grid).call("B", Net::times, x).sum();
        own.kill("C");
        Await.until("C has left", DEADLINE, () -> grid.workers().size() == 2);
        long start = System.nanoTime();
        assertFails(() -> context.backward(loss), Status.WORKER_LOST, "worker C");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(context.gradients()).isEmpty();
        assertThat(grid.rpc().sync("B", Net::gradients)).isZero();
        context.backward(other);
        assertThat(context.gradients()).hasSize(1);
      }
      Fixture.awaitNothingLeft(own, "A", "B");
    }
  }

  @Test
  void workerThatDiesDuringThePassIsNamed() throws Exception {
    endedDuringThePassIsNamed(own -> own.kill("C"));
  }

  /** C leaves in good order. By jobs it has a moment to do its part before it does. */
  @Test
  void workerThatLeavesDuringThePassIsNamed() throws Exception {
    assumeThat(options.scheduler()).isEqualTo(Scheduler.CALLS);
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
        assertThat(grid.rpc().sync("B", Net::gradients)).isZero();
        context.backward(World.of(grid).call("B", Net::times, x).sum());
        assertThat(context.gradients()).hasSize(1);
      }
      Fixture.awaitNothingLeft(own, "A", "B");
    }
  }

  @Test
  void workerThatDiesBetweenDecisionAndCommitTakesNothingFromTheOthers() {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      Variable x = input(1);
      try (Context context = Autograd.on(grid).open()) {
        Variable y = World.of(grid).call("B", Net::times, x);
        context.backward(true, World.of(grid).call("C", Net::times, y).sum());
        own.kill("C"); // It has not heard of the decision.
        double[] once = Fixture.doubles(context.gradient(x));
        assertThat(grid.rpc().sync("B", Net::gradients)).isEqualTo(1);
        Await.until("C has left", DEADLINE, () -> grid.workers().size() == 2);
        context.backward(y.sum());
        assertThat(Fixture.doubles(context.gradient(x))).isNotEqualTo(once);
      }
      Fixture.awaitNothingLeft(own, "A", "B");
    }
  }

  /** C has heard of nothing when B dies, whose pass it was; A knows that it was committed. */
  @Test
  void initiatorThatDiesAfterItsDecisionLeavesAWholePass() {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
      Variable x = input(1);
      try (Context context = Autograd.on(grid).open()) {
        Variable y = World.of(grid).call("C", Net::times, x);
        assertThat(World.of(grid).call("B", Net::backward, y, true)).isZero();
        own.kill("B");
        Await.until(
            "C has settled the pass",
            DEADLINE,
            () ->
                own.grid("C").workers().size() == 2 && Autograd.on(own.grid("C")).passCount() == 0);
        assertThat(context.gradients()).hasSize(1);
        assertThat(grid.rpc().sync("C", Net::gradients)).isEqualTo(1);
      }
      Fixture.awaitNothingLeft(own, "A", "C");
    }
  }

  @Test
  void lateMessageOfADeadOriginatorDoesNotBringItsContextBack() throws Exception {
    try (InProcessGrids own = join(WORKERS)) {
      Context context = Autograd.on(own.grid("A")).open();
      Variable x = input(1);
      context.backward(World.of(own.grid("A")).call("B", Net::times, x).sum());
      try (Holdup holdup = Holdup.of("Net::watched")) {
        var unused = own.grid("A").rpc().async("C", Net::watched, x);
        holdup.awaitHeld(); // C has not heard of the context before.
        own.kill("A");
        Await.until("A has left", DEADLINE, () -> own.grid("C").workers().size() == 2);
        Fixture.awaitNothingLeft(own, "B", "C");
        int before = Net.WATCHED.size();
        holdup.close();
        Await.until("the late call is over", DEADLINE, () -> own.grid("C").activeCalls() == 0);
        assertThat(Autograd.on(own.grid("C")).contextCount()).isZero();
        assertThat(Net.WATCHED).as("its function did not run").hasSize(before);
      }
    }
  }

  @Test
  void bystandersMayComeAndGo() {
    passesBesideBystanders(50);
  }

  /** As often as members can come and go: about once a second. */
  @Test
  @Tag("slow")
  void bystandersMayComeAndGoDuringAThousandPasses() {
    passesBesideBystanders(1_000);
  }

  private void passesBesideBystanders(int enough) {
    try (InProcessGrids own = join(WORKERS)) {
      Grid grid = own.grid("A");
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
                      bystander.close(); // It leaves in good order, the others just die.
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
          assertThat(context.gradient(x)).isNotNull();
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
