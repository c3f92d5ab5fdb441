package io.hazelgrad.tests.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.ClusterState;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.plane.TensorPlane;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.testkit.LinkQuality;
import io.hazelgrad.tests.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Workers on hosts of their own, over networks that lose, delay, cut, silence and reset. */
@ExtendWith(Leftovers.class)
class HostsTest {
  private static final int MIB = 1 << 20;
  private static final int STREAM_PORT = 7001;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The time without a byte after which a receiver leaves a stream, and some for the rest. */
  private static final Duration FALLBACK = Duration.ofSeconds(5).plusSeconds(10);

  @BeforeAll
  static void requireHosts() {
    String reason = JvmCluster.hostsUnavailable();
    assumeTrue(reason.isEmpty(), reason);
  }

  private static JvmCluster start(String... workers) {
    return JvmCluster.workers(workers)
        .hosts()
        .jvmOptions("-Dhazelgrad.plane.port=" + STREAM_PORT)
        .start();
  }

  @Test
  void callsAndTensorsPassBetweenHostsThatShareNoMemory() {
    try (JvmCluster cluster = start("A")) {
      assertThat(cluster.grid().rpc().sync("A", HostFunctions::devices)).hasSize(2).contains("lo");
      long streamed = TensorPlane.of(cluster.grid()).figures().streamed().tensors();
      echoes(cluster, 2 * MIB);
      assertThat(TensorPlane.of(cluster.grid()).figures().streamed().tensors())
          .isGreaterThan(streamed);
      cluster.link("A", JvmCluster.DRIVER, LinkQuality.PERFECT.withLoss(0.01));
      echoes(cluster, MIB);
    }
  }

  @Test
  @Tag("slow")
  void tensorArrivesInChunksWhenItsStreamIsSilentlyDroppedInTheMiddle() {
    try (JvmCluster cluster = start("A")) {
      echoes(cluster, MIB);
      cluster.silence(STREAM_PORT, 4 * MIB);
      long start = System.nanoTime();
      CompletableFuture<Tensor> result =
          cluster.grid().rpc().within(FALLBACK).async("A", HostFunctions::make, 8 * MIB);
      Await.until("the stream is silent", PATIENCE, () -> cluster.isSilent(STREAM_PORT));
      assertThat(HostFunctions.isWhole(result.join(), 8 * MIB)).isTrue();
      System.out.printf(
          "32 MiB with a stream that fell silent: %d ms%n",
          (System.nanoTime() - start) / 1_000_000);
    }
  }

  @Test
  @Tag("slow")
  void tensorArrivesWhenItsStreamIsReset() {
    try (JvmCluster cluster = start("A")) {
      echoes(cluster, MIB);
      Worker before = cluster.grid().worker("A");
      CompletableFuture<Tensor> result =
          cluster.grid().rpc().within(PATIENCE).async("A", HostFunctions::make, 16 * MIB);
      Await.until(
          "the tensor is arriving",
          PATIENCE,
          () -> result.isDone() || TensorPlane.of(cluster.grid()).figures().arrivingBytes() > 0);
      cluster.resetConnections(STREAM_PORT);
      assertThat(HostFunctions.isWhole(result.join(), 16 * MIB)).isTrue();
      assertThat(cluster.grid().worker("A")).isEqualTo(before);
    }
  }

  @Test
  @Tag("slow")
  void workIsDoneAndNobodyIsLostWhenOnePercentIsLostAndPacketsOvertakeAndTake50Milliseconds() {
    try (JvmCluster cluster = start("A", "B")) {
      List<Worker> before = cluster.grid().workers();
      LinkQuality poor =
          LinkQuality.PERFECT.withLoss(0.01).withDelay(Duration.ofMillis(50), Duration.ofMillis(5));
      for (String worker : List.of("A", "B")) {
        cluster.link(worker, JvmCluster.DRIVER, poor);
      }
      cluster.link("A", "B", poor);
      try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
        for (int i = 1; i <= 20; i++) {
          assertThat(counter.sync(Counter::add, 1)).isEqualTo(2 * i - 1);
          assertThat(cluster.grid().rpc().sync("B", Counter::addThrough, counter, 1))
              .isEqualTo(2 * i);
        }
        echoes(cluster, MIB);
      }
      assertThat(cluster.grid().workers()).containsExactlyElementsOf(before);
      assertThat(cluster.grid().isFenced()).isFalse();
    }
  }

  @Test
  @Tag("slow")
  void gridIsWholeWhenHostComesBackAfterItVanishedAndLeftConnectionsHalfOpen() {
    try (JvmCluster cluster = start("A", "B")) {
      cluster.cut("A", JvmCluster.DRIVER);
      cluster.cut("A", "B");
      cluster.kill("A"); // Nobody is told: its packets do not arrive any more.
      cluster.heal();
      cluster.start("A");
      cluster.awaitAgreement("A", "B");
      assertThat(cluster.grid().rpc().sync("A", Counter::whoAmI)).isEqualTo("A");
      echoes(cluster, MIB);
    }
  }

  /** The old address is silent, as that of a pod is. The living side cannot know of its end. */
  @Test
  @Tag("slow")
  void gridIsWholeByItselfWhenLostHostComesBackAtAnotherAddressAndNamesAreUnique() {
    try (JvmCluster cluster = JvmCluster.workers("A").hosts().moving().uniqueNames().start();
        RRef<Counter> own = cluster.rrefs().local(new Counter())) {
      cluster.awaitAgreement("A");
      Worker before = cluster.grid().worker();
      cluster.kill("A");
      Cluster members = cluster.grid().hazelcast().getCluster();
      Await.until(
          "the side is shut",
          PATIENCE,
          () -> cluster.grid().isSuspended() && members.getClusterState() == ClusterState.FROZEN);
      long start = System.nanoTime();
      cluster.start("A");
      cluster.awaitAgreement("A");
      Duration time = Duration.ofNanos(System.nanoTime() - start);
      System.out.printf("whole after a return at another address: %d ms%n", time.toMillis());
      assertThat(time).isLessThan(Duration.ofSeconds(30));
      assertThat(cluster.grid().worker()).isEqualTo(before);
      assertThat(cluster.grid().rpc().sync("A", Counter::addThrough, own, 1)).isEqualTo(1);
    }
  }

  @Test
  @Tag("slow")
  void cutOffHostIsSuspendedAndComesBackAfterOneWayCut() {
    try (JvmCluster cluster = start("A", "B")) {
      Worker before = cluster.grid().worker("A");
      cluster.cutOneWay("A", JvmCluster.DRIVER);
      cluster.cutOneWay("A", "B");
      cluster.awaitAgreement("B");
      assertThatThrownBy(() -> cluster.grid().rpc().sync("A", Counter::whoAmI))
          .isInstanceOf(GridException.class);
      cluster.heal();
      cluster.awaitAgreement("A", "B");
      assertThat(cluster.grid().worker("A").id()).isGreaterThan(before.id());
    }
  }

  @Test
  @Tag("slow")
  void tensorTakesItsTimeWhenRateIsLimited() {
    try (JvmCluster cluster = start("A")) {
      echoes(cluster, MIB / 4);
      cluster.linkOneWay("A", JvmCluster.DRIVER, LinkQuality.PERFECT.withRate(4 * MIB));
      long start = System.nanoTime();
      Tensor made = cluster.grid().rpc().within(PATIENCE).sync("A", HostFunctions::make, 3 * MIB);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThan(Duration.ofSeconds(2)); // 12 MiB with 4 MiB/s and a queue of 0.2 s.
      assertThat(HostFunctions.isWhole(made, 3 * MIB)).isTrue();
    }
  }

  private static void echoes(JvmCluster cluster, int length) {
    Tensor echo =
        cluster
            .grid()
            .rpc()
            .within(PATIENCE)
            .sync("A", HostFunctions::echo, HostFunctions.make(length));
    assertThat(HostFunctions.isWhole(echo, length)).isTrue();
  }
}
