package io.hazelgrad.tests.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.Counter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests of the smallest grid: it survives the loss of the younger worker, and stops when it loses
 * the older one.
 */
class TwoWorkersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void youngerOfTwoStopsWithAdviceWhenOlderDies() {
    try (JvmCluster cluster = JvmCluster.workers("A").start()) {
      cluster.awaitAgreement("A");
      cluster.kill("A");
      Await.until("the younger is fenced", PATIENCE, () -> cluster.grid().isFenced());
      assertThatThrownBy(() -> cluster.grid().rpc().sync(JvmCluster.DRIVER, Counter::whoAmI))
          .isInstanceOfSatisfying(
              GridException.class,
              e -> assertThat(e.status()).as(e.toString()).isEqualTo(Status.FENCED))
          .hasMessageContaining("it sees 1 of the 2 workers")
          .hasMessageContaining("HazelgradConfig.quorum(false)");
    }
    Leftovers.check();
  }

  @Test
  void gridIsWholeAgainWhenOlderIsRestartedAtItsAddress() {
    try (JvmCluster cluster = JvmCluster.workers("A").start()) {
      cluster.awaitAgreement("A");
      cluster.kill("A");
      Await.until("the younger is fenced", PATIENCE, () -> cluster.grid().isFenced());
      cluster.start("A");
      cluster.awaitAgreement("A");
      assertThat(cluster.grid().rpc().sync("A", Counter::whoAmI)).isEqualTo("A");
      assertThat(cluster.grid().isFenced()).isFalse();
    }
    Leftovers.check();
  }

  @Test
  void lastOfThreeContinuesWhenBothOthersAreRestartedAtTheirAddresses() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").start()) {
      cluster.freeze("A");
      cluster.freeze("B");
      cluster.kill("A");
      cluster.kill("B");
      Await.until("the last one is fenced", PATIENCE, () -> cluster.grid().isFenced());
      CompletableFuture<Void> first = CompletableFuture.runAsync(() -> cluster.start("A"));
      cluster.start("B");
      first.join();
      cluster.awaitAgreement("A", "B");
      assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
    }
    Leftovers.check();
  }

  @Test
  void olderOfTwoContinuesWhenYoungerDies() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").start()) {
      cluster.kill("B");
      cluster.awaitAgreement("A");
      assertThat(cluster.grid().rpc().sync("A", Counter::whoAmI)).isEqualTo("A");
      assertThat(cluster.grid().isFenced()).isFalse();
    }
    Leftovers.check();
  }
}
