package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.EntryEventType;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.spi.impl.NodeEngineImpl;
import io.hazelgrad.grid.ProbeExtension.Probe;
import io.hazelgrad.grid.internal.hazelcast.NodeEngines;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Meetings of a grid with members that were in another cluster meanwhile. */
class OtherClusterTest {
  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  /** A member that was frozen removes the others from its own view when it thaws. */
  @Test
  void removalInViewOfAnotherClusterLosesNobody() throws Exception {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    Grid carol = grids.join("carol");
    for (Worker worker : List.of(bob.worker(), carol.worker())) {
      assertThat(alice.rpc().sync(worker.name(), Calls::worker)).isEqualTo(worker.name());
    }
    tellRemoved(alice, bob.worker());
    carol.close(); // The removal before it is handled first.
    Eventually.until("carol has left", () -> Probe.of(alice).lost.contains(carol.worker()));
    Eventually.until("bob is asked for", () -> alice.workers().contains(bob.worker()));
    assertThat(Probe.of(alice).lost).doesNotContain(bob.worker());
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
  }

  private static void tellRemoved(Grid grid, Worker worker) {
    NodeEngineImpl engine = NodeEngines.of(grid.hazelcast());
    MapService maps = engine.getService(MapService.SERVICE_NAME);
    maps.getMapServiceContext()
        .getMapEventPublisher()
        .publishEvent(
            engine.getThisAddress(),
            Directory.WORKERS,
            EntryEventType.REMOVED,
            engine.toData(worker.name()),
            worker,
            null);
  }

  /**
   * The new grid has the smaller address, so Hazelcast would merge the old one into it. It does not
   * know the address of the old one, so that one must ask.
   */
  @Test
  void workerThatFoundedGridAtAddressOfLostOneMergesIntoOldGrid() {
    Config first = grids.config();
    Config second = grids.config();
    int lower = Math.min(first.getNetworkConfig().getPort(), second.getNetworkConfig().getPort());
    int higher = Math.max(first.getNetworkConfig().getPort(), second.getNetworkConfig().getPort());
    first.getNetworkConfig().setPort(higher);
    second.getNetworkConfig().setPort(lower);
    Config fresh = grids.config();
    fresh.getNetworkConfig().setPort(lower);
    fresh.getNetworkConfig().getJoin().getTcpIpConfig().setMembers(List.of("127.0.0.1:" + lower));
    Grid alice = grids.join(HazelgradConfig.named("alice"), first);
    Worker before = alice.worker();
    Grid bob = grids.join(HazelgradConfig.named("bob"), second);
    QuorumService.of(bob.hazelcast()).leaveWithAll(); // Then it says no goodbye.
    bob.hazelcast().getLifecycleService().terminate();
    Eventually.until("bob is lost", () -> alice.workers().equals(List.of(before)));

    Grid again = grids.join(HazelgradConfig.named("bob"), fresh);

    Eventually.until(
        "bob is back", () -> !again.isFenced() && alice.workers().contains(again.worker()));
    assertThat(alice.worker()).isEqualTo(before);
    assertThat(alice.isFenced()).isFalse();
  }
}
