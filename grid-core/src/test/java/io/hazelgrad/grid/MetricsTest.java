package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a worker counts. */
class MetricsTest {
  private static final String FUNCTION = "call.function";

  private TestGrids grids;
  private Grid alice;
  private Grid bob;

  @BeforeEach
  void join() {
    grids = new TestGrids();
    alice = grids.join("alice");
    bob = grids.join("bob");
  }

  @AfterEach
  void end() {
    grids.close();
  }

  private static CallMetrics calls(Grid grid, String destination) {
    return Metrics.of(grid).callsTo(destination).stream()
        .filter(one -> one.kind().equals(FUNCTION))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void callsAreCountedByDestinationAndKind() {
    for (int i = 0; i < 10; i++) {
      alice.rpc().sync("bob", Calls::length, "x".repeat(1000));
    }
    alice.rpc().sync("alice", Calls::worker);
    assertThatThrownBy(() -> alice.rpc().sync("bob", Calls::throwing, "x"));

    CallMetrics toBob = calls(alice, "bob");
    assertThat(toBob.calls()).isEqualTo(11);
    assertThat(toBob.errors()).isEqualTo(1);
    assertThat(toBob.rejected()).isZero();
    assertThat(toBob.bytesOut()).isGreaterThan(10_000);
    assertThat(toBob.bytesIn()).isBetween(10L, 1_000L);
    assertThat(toBob.latency().count()).isEqualTo(11);
    assertThat(toBob.latency().p50()).isPositive().isLessThanOrEqualTo(toBob.latency().max());
    assertThat(calls(alice, "alice").calls()).isEqualTo(1);
    assertThat(Metrics.of(bob).callsTo("alice")).isEmpty();

    Eventually.until(
        "bob has ended them",
        () ->
            Metrics.of(bob).snapshot().served().stream()
                .anyMatch(s -> s.kind().equals(FUNCTION) && s.calls() == 11));
    ServedMetrics served = Metrics.of(bob).snapshot().served().get(0);
    assertThat(served.kind()).isEqualTo(FUNCTION);
    assertThat(served.errors()).isEqualTo(1);
    assertThat(served.queued().count()).isEqualTo(11);
    assertThat(served.served().max()).isGreaterThanOrEqualTo(served.queued().max());
  }

  @Test
  void figuresOfTheProcessFollowTheCalls() {
    CompletableFuture<String> waiting =
        alice.rpc().async("bob", Function.async(Calls::later), "metrics.figures");
    Signals.named("metrics.figures").awaitStarted();
    assertThat(Metrics.of(alice).figures()).containsEntry("agent.client_active_calls", 1L);
    assertThat(Metrics.of(bob).figures())
        .containsEntry("agent.server_active_calls", 1L)
        .containsEntry("agent.thread_pool_size", 16L);
    Signals.named("metrics.figures").answer.complete("now");
    assertThat(waiting.join()).isEqualTo("now");
    Eventually.until(
        "nothing is active",
        () ->
            Metrics.of(bob).figures().get("agent.server_active_calls") == 0
                && Metrics.of(alice).figures().get("agent.client_active_calls") == 0
                && Metrics.of(bob).figures().get("agent.num_idle_threads") == 16);
  }

  @Test
  void leftWorkersAreCountedAsOne() {
    for (String name : new String[] {"carol", "dave"}) {
      Grid other = grids.join(name);
      alice.rpc().sync(name, Calls::worker);
      other.close();
      Eventually.until(name + " is folded", () -> Metrics.of(alice).callsTo(name).isEmpty());
    }
    assertThat(calls(alice, Metrics.LOST).calls()).isEqualTo(2);
  }

  @Test
  void snapshotTravels() {
    alice.rpc().sync("bob", Calls::worker);
    MetricsSnapshot here = Metrics.of(alice).snapshot();
    assertThat(
            bob.rpc()
                .<Object>sync("alice", Function.named(Calls.class, "echo", Object.class), here))
        .isEqualTo(here);
  }
}
