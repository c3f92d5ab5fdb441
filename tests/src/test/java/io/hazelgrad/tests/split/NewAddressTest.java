package io.hazelgrad.tests.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.cluster.Address;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.LostWorkers;
import io.hazelgrad.grid.group.LostWorkers.Lost;
import io.hazelgrad.launcher.Main;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.Counter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The return of lost workers at other addresses, after the loss of a majority. */
@Tag("slow")
class NewAddressTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void gridIsWholeByItselfWhenLostWorkerComesBackElsewhereAndNamesAreUnique() {
    try (JvmCluster cluster = JvmCluster.workers("A").moving().uniqueNames().start();
        RRef<Counter> own = cluster.rrefs().local(new Counter())) {
      Worker before = cluster.grid().worker();
      Lost lost = loseA(cluster);
      cluster.start("A");
      cluster.awaitAgreement("A");
      assertThat(address(cluster, "A")).isNotEqualTo(lost.address());
      assertThat(cluster.grid().worker()).isEqualTo(before);
      assertThat(cluster.grid().rpc().sync("A", Counter::addThrough, own, 1)).isEqualTo(1);
    }
    Leftovers.check();
  }

  @Test
  void gridIsWholeAfterForceLeaveWhenLostWorkerComesBackElsewhere() {
    try (JvmCluster cluster = JvmCluster.workers("A").moving().start();
        RRef<Counter> own = cluster.rrefs().local(new Counter())) {
      Worker before = cluster.grid().worker();
      assertThat(forceLeave(cluster, "A")).contains("A is not lost", "misses no worker");
      loseA(cluster);
      assertThatThrownBy(() -> own.sync(Counter::add, 1))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("hazelgrad force-leave A --join");
      assertThat(forceLeave(cluster, "B")).contains("B is not lost", "misses [A (127.0.0.1:");
      assertThat(cluster.grid().isSuspended()).isTrue();
      assertThat(forceLeave(cluster, "A")).isEmpty();
      Await.until("the worker resumes alone", PATIENCE, () -> !cluster.grid().isFenced());
      assertThat(LostWorkers.of(cluster.grid().hazelcast()).find()).isEmpty();
      cluster.start("A");
      cluster.awaitAgreement("A");
      assertThat(cluster.grid().worker()).isEqualTo(before);
      assertThat(cluster.grid().rpc().sync("A", Counter::addThrough, own, 1)).isEqualTo(1);
    }
    Leftovers.check();
  }

  private static Lost loseA(JvmCluster cluster) {
    cluster.awaitAgreement("A");
    cluster.kill("A");
    Await.until("this worker is suspended", PATIENCE, () -> cluster.grid().isSuspended());
    List<Lost> lost = LostWorkers.of(cluster.grid().hazelcast()).find();
    assertThat(lost).extracting(Lost::name).containsExactly("A");
    return lost.get(0);
  }

  private static String address(JvmCluster cluster, String worker) {
    Worker found = cluster.grid().worker(worker);
    return cluster.grid().hazelcast().getCluster().getMembers().stream()
        .filter(member -> member.getUuid().equals(found.incarnation()))
        .map(member -> member.getAddress().getHost() + ":" + member.getAddress().getPort())
        .findFirst()
        .orElseThrow();
  }

  /** Runs the command against this JVM's own worker, and returns what it wrote of an error. */
  private static String forceLeave(JvmCluster cluster, String name) {
    Address client =
        cluster
            .grid()
            .hazelcast()
            .getCluster()
            .getLocalMember()
            .getAddressMap()
            .get(EndpointQualifier.CLIENT);
    StringWriter err = new StringWriter();
    int code =
        Main.run(
            new PrintWriter(err, true),
            "force-leave",
            name,
            "--cluster",
            cluster.processes().name(),
            "--join",
            client.getHost() + ":" + client.getPort());
    assertThat(code == 0).as(err.toString()).isEqualTo(err.toString().isEmpty());
    return err.toString();
  }
}
