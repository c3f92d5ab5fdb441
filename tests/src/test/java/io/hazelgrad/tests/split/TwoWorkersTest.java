package io.hazelgrad.tests.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridListener;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests of the smallest grid: it survives the loss of the younger worker, and stops when it loses
 * the older one.
 */
class TwoWorkersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Enough objects that a lost partition takes some of their entries along. */
  private static final int OBJECTS = 30;

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
  @Tag("slow")
  void suspendedWorkerSaysSoWhileStageOfItsCallCannotBeCancelled() throws Exception {
    try (JvmCluster cluster = JvmCluster.workers("A").start()) {
      CompletableFuture<Integer> call =
          cluster.grid().rpc().async(JvmCluster.DRIVER, Function.async(Stubborn::stage));
      Await.until("the call is there", PATIENCE, () -> cluster.grid().activeCalls() > 0);
      cluster.kill("A");
      assertThat(Stubborn.CANCELLED.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      Await.until("the worker says so", PATIENCE.dividedBy(4), () -> cluster.grid().isFenced());
      assertThatThrownBy(call::join).cause().isInstanceOf(GridException.class);
    } finally {
      Stubborn.RELEASED.countDown();
    }
    Leftovers.check();
  }

  @Test
  @Tag("slow")
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
  void youngerKeepsObjectsAndHandlesWhenOlderIsRestartedAtItsAddress() {
    try (JvmCluster cluster = JvmCluster.workers("A").start()) {
      cluster.awaitAgreement("A");
      Worker before = cluster.grid().worker();
      News news = new News();
      cluster.grid().addListener(news);
      try (RRef<Counter> own = cluster.rrefs().local(new Counter())) {
        RRef<Counter> released = cluster.rrefs().local(new Counter());
        for (RRef<Counter> shared : List.of(own, released)) {
          assertThat(cluster.grid().rpc().sync("A", Counter::addThrough, shared, 1)).isEqualTo(1);
        }
        cluster.kill("A");
        Await.until("the younger is suspended", PATIENCE, () -> cluster.grid().isSuspended());
        assertFails(Status.FENCED, () -> cluster.grid().rpc().sync("A", Counter::whoAmI));
        assertFails(Status.FENCED, () -> own.sync(Counter::add, 1));
        assertFails(Status.FENCED, () -> cluster.rrefs().local("x"));
        released.close();
        assertThat(cluster.rrefs().handleCount()).isEqualTo(1);
        assertThat(cluster.rrefs().objectCount()).as("its release waits").isEqualTo(2);
        cluster.start("A");
        cluster.awaitAgreement("A");
        assertThat(cluster.grid().isFenced()).isFalse();
        assertThat(cluster.grid().worker()).isEqualTo(before);
        assertThat(own.sync(Counter::add, 1)).isEqualTo(2);
        assertThat(cluster.grid().rpc().sync("A", Counter::addThrough, own, 1)).isEqualTo(3);
        Await.until("the release has arrived", PATIENCE, () -> cluster.rrefs().objectCount() == 1);
        Await.until("the worker was told", PATIENCE, () -> news.heard.size() == 2);
        assertThat(news.heard).containsExactly("suspended", "resumed");
      }
    }
    Leftovers.check();
  }

  @Test
  @Tag("slow")
  void livingWorkersKeepWhatTheyHoldWhenAllButOneOfThreeAreRestarted() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").start()) {
      comesBackWithItsObjects(cluster, List.of("A", "B"), JvmCluster.DRIVER);
    }
    Leftovers.check();
  }

  @Test
  @Tag("slow")
  void livingWorkersKeepWhatTheyHoldWhenMajorityOfFiveIsRestarted() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C", "D").start()) {
      comesBackWithItsObjects(cluster, List.of("A", "B", "C"), "D");
    }
    Leftovers.check();
  }

  /** Kills workers at once and starts them anew; a living one owns objects that this JVM holds. */
  private static void comesBackWithItsObjects(
      JvmCluster cluster, List<String> dying, String owner) {
    Set<String> names =
        cluster.grid().workers().stream()
            .map(Worker::name)
            .filter(name -> !name.equals(JvmCluster.DRIVER))
            .collect(Collectors.toSet());
    cluster.awaitAgreement(names.toArray(String[]::new));
    List<RRef<Counter>> held =
        Stream.generate(() -> cluster.rrefs().remote(owner, Counter::new)).limit(OBJECTS).toList();
    for (RRef<Counter> each : held) {
      assertThat(cluster.grid().rpc().sync(dying.get(0), Counter::addThrough, each, 1))
          .isEqualTo(1);
    }
    Worker before = cluster.grid().worker(owner);
    dying.forEach(cluster::freeze);
    dying.forEach(cluster::kill);
    Await.until("the living are suspended", PATIENCE, () -> cluster.grid().isSuspended());
    dying.stream()
        .map(name -> CompletableFuture.runAsync(() -> cluster.start(name)))
        .toList()
        .forEach(CompletableFuture::join);
    cluster.awaitAgreement(names.toArray(String[]::new));
    assertThat(cluster.grid().worker(owner)).isEqualTo(before);
    for (RRef<Counter> each : held) {
      assertThat(each.sync(Counter::add, 1)).isEqualTo(2);
      Await.until(
          "the restored entry takes new forks",
          PATIENCE,
          () -> cluster.grid().rpc().sync(dying.get(0), Counter::addThrough, each, 0) == 2);
      each.close();
    }
    Await.until("nothing is left", PATIENCE, () -> cluster.rrefs().liveCount() == 0);
  }

  private static void assertFails(Status status, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).as(e.toString()).isEqualTo(status));
  }

  /** Listener that records the names of the events of a worker's grid. */
  private static final class News implements GridListener {
    final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void suspended(Worker worker, GridException reason) {
      heard.add("suspended");
    }

    @Override
    public void resumed(Worker worker) {
      heard.add("resumed");
    }

    @Override
    public void fenced(Worker worker, GridException reason) {
      heard.add("fenced");
    }
  }

  /** Of two equal sides, Hazelcast by itself lets the one with the greater address be merged. */
  @Test
  @Tag("slow")
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
  @Tag("slow")
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
