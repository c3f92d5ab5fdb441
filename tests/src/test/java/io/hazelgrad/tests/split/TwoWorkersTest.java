package io.hazelgrad.tests.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Tests of the smallest grid: it survives the loss of the younger worker, and stops when it loses
 * the older one.
 */
class TwoWorkersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A stage that does not end, and whose cancellation waits for the test. */
  @RemoteFunctions
  static final class Stubborn extends CompletableFuture<Integer> {
    private static final CountDownLatch CANCELLED = new CountDownLatch(1);
    private static final CountDownLatch RELEASED = new CountDownLatch(1);

    static CompletableFuture<Integer> stage() {
      return new Stubborn();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      CANCELLED.countDown();
      try {
        return RELEASED.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  @Test
  void fencedWorkerSaysSoWhileStageOfItsCallCannotBeCancelled() throws Exception {
    try (JvmCluster cluster = JvmCluster.workers("A").start()) {
      CompletableFuture<Integer> call =
          cluster.grid().rpc().async(JvmCluster.DRIVER, Function.async(Stubborn::stage));
      Await.until("the call is there", PATIENCE, () -> cluster.grid().activeCalls() > 0);
      cluster.kill("A");
      assertThat(Stubborn.CANCELLED.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Boolean> fenced =
          CompletableFuture.supplyAsync(() -> cluster.grid().isFenced());
      assertThat(fenced).succeedsWithin(PATIENCE.dividedBy(4)).isEqualTo(true);
      assertThatThrownBy(call::join).cause().isInstanceOf(GridException.class);
    } finally {
      Stubborn.RELEASED.countDown();
    }
    Leftovers.check();
  }

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

  /** Of two equal sides, Hazelcast by itself lets the one with the greater address be merged. */
  @Test
  void olderOfTwoContinuesAfterCutWhenItsAddressIsGreater() {
    try (JvmCluster cluster = JvmCluster.workers("A").cuttable().start()) {
      cluster.awaitAgreement("A");
      cluster.stop("A");
      cluster.start("A");
      cluster.awaitAgreement("A");
      Worker older = cluster.grid().worker();
      Worker younger = cluster.grid().worker("A");
      cluster.split(List.of("A"), List.of(JvmCluster.DRIVER));
      cluster.awaitAgreement();
      cluster.heal();
      cluster.awaitAgreement("A");
      assertThat(cluster.grid().worker()).isEqualTo(older);
      assertThat(cluster.grid().worker("A").id()).isGreaterThan(younger.id());
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
