package io.hazelgrad.tests.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.grid.group.ShutdownReport;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Joint shutdown of separate JVMs. */
@ExtendWith(Leftovers.class)
@Tag("slow")
class ShutdownOfJvmsTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final JvmCluster cluster = JvmCluster.workers("A", "B", "C").start();

  @AfterEach
  void stop() {
    cluster.close();
  }

  /**
   * The load is a chain of nested async calls, as in the peer's test_multi_layer_nested_async_rpc.
   */
  @Test
  @PeerTest("test_graceful_shutdown_with_uneven_workload")
  void shutdownWaitsForWorkersWithUnevenLoad() {
    List<String> names = List.of("A", "B", "C", JvmCluster.DRIVER);
    GroupFunctions.HOPS.set(0);
    CompletableFuture<Integer> driven =
        cluster.grid().rpc().async("A", GroupFunctions::drive, "B", 50);
    for (String name : List.of("B", "C", "A")) {
      assertThat(cluster.grid().rpc().sync(name, GroupFunctions::leaveTogether)).isTrue();
    }
    var unused = cluster.grid().rpc().async("A", GroupFunctions::hop, names, 20);
    ShutdownReport report = Shutdown.of(cluster.grid()).together(LONG, LONG);
    assertThat(report.isClean()).as("%s", report).isTrue();
    assertThat(driven).isCompletedWithValue(50);
    assertThat(GroupFunctions.HOPS).hasValue(21);
    for (String name : List.of("A", "B", "C")) {
      Await.until(
          name + " ends too", LONG, () -> !cluster.processes().worker(name).handle().isAlive());
    }
  }

  @Test
  @PeerTest({"test_shutdown_errors", "shutdown_while_a_peer_is_dead"})
  void shutdownEndsWithinBoundsWhenWorkersDieAndFreeze() {
    cluster.freeze("C");
    CompletableFuture<ShutdownReport> leaving =
        Shutdown.of(cluster.grid()).togetherAsync(Duration.ofSeconds(1), Duration.ofSeconds(3));
    cluster.kill("B");
    ShutdownReport report = leaving.join();
    assertThat(report.missing()).contains("A");
    assertThat(report.lost()).contains("B");
    // A worker that is frozen long enough counts as lost.
    assertThat(Stream.concat(report.missing().stream(), report.lost().stream())).contains("C");
    assertThat(report.callsLeft()).isZero();
    assertThat(report.waited()).isLessThan(Duration.ofSeconds(10));
    cluster.thaw("C");
    Await.until("the driver is closed in the end", LONG, cluster.grid()::isClosed);
  }
}
