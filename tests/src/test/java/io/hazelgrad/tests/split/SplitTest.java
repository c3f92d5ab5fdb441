package io.hazelgrad.tests.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridListener;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.metrics.GridMetrics;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.Counter;
import io.hazelgrad.tests.HealthProbe;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests of networks that are cut and healed. The grid has four workers; A is the oldest and this
 * JVM the youngest. One cluster serves all tests, since each ends with all workers back.
 */
@ExtendWith(Leftovers.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SplitTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String DRIVER = JvmCluster.DRIVER;

  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster =
        JvmCluster.workers("A", "B", "C")
            .cuttable()
            .jvmOptions("-Dhazelgrad.health-port=0")
            .start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void restore() {
    cluster.heal();
    cluster.startMissing();
    cluster.awaitPeace();
  }

  @Test
  @Order(1)
  void workerIsSuspendedAndReturnsAsAnotherWhenOthersGoOn() throws Exception {
    Grid grid = cluster.grid();
    Worker before = grid.worker();
    MeterRegistry registry = new SimpleMeterRegistry();
    GridMetrics.of(grid).bindTo(registry);
    News news = new News();
    grid.addListener(news);
    RRefs oldRRefs = cluster.rrefs();
    RRef<Counter> held = oldRRefs.remote("B", Counter::new);
    held.creation().join();
    RRef<Counter> own = oldRRefs.local(new Counter());
    assertThat(grid.rpc().sync("C", Counter::addThrough, own, 1)).isEqualTo(1);
    CompletableFuture<?> underWay =
        grid.rpc().async("A", io.hazelgrad.grid.Function.named(Counter.class, "never"));
    Await.until("the call is there", PATIENCE, () -> grid.rpc().sync("A", Counter::waiting) == 1);

    cluster.split(List.of(DRIVER), List.of("A", "B", "C"));

    Await.until("the worker that was cut off is suspended", PATIENCE, grid::isSuspended);
    // The members are removed one after the other, so the call may end before the last one is.
    assertThatThrownBy(() -> get(underWay))
        .isInstanceOfSatisfying(
            GridException.class,
            e -> assertThat(e.status()).isIn(Status.FENCED, Status.WORKER_LOST));
    assertFails(Status.FENCED, () -> grid.rpc().sync("B", Counter::whoAmI));
    assertFails(Status.FENCED, () -> grid.rpc().sync(DRIVER, Counter::whoAmI));
    assertThat(oldRRefs.handleCount()).as("handles are kept").isEqualTo(2);
    assertFails(Status.FENCED, () -> held.sync(Counter::add, 1));
    assertFails(Status.FENCED, () -> oldRRefs.local("x"));
    assertThatThrownBy(() -> grid.hazelcast().getMap("hazelgrad.workers").put("x", "y"))
        .isInstanceOf(SplitBrainProtectionException.class);
    Await.until("the worker is told", PATIENCE, () -> news.suspended.size() == 1);
    assertThat(news.fenced).isEmpty();
    assertThat(grid.worker()).isEqualTo(before);

    cluster.heal();

    cluster.awaitPeace();
    Await.until("the worker is told that it is back", PATIENCE, () -> news.rejoined.size() == 1);
    assertThat(news.fenced).containsExactly(before);
    assertThat(oldRRefs.handleCount()).as("handles are dropped").isZero();
    assertThat(grid.isFenced()).isFalse();
    // The call of the lost worker still runs; its reply has no receiver.
    assertThat(grid.rpc().sync("A", Counter::endWaiting)).isEqualTo(1);
    assertThat(grid.worker().name()).isEqualTo(before.name());
    assertThat(grid.worker().id()).isGreaterThan(before.id());
    Await.until(
        "the registry has the figures of the new incarnation",
        PATIENCE,
        () -> registry.find("hazelgrad.agent.thread_pool_size").gauges().size() == 1);
    assertThat(grid.worker().incarnation()).isNotEqualTo(before.incarnation());
    assertFails(Status.FENCED, () -> held.sync(Counter::add, 1));
    grid.removeListener(news);
    awaitNothingLeft();
  }

  @Test
  @Order(2)
  @Tag("slow")
  void sideWithOldestContinuesWhenSidesAreEqual() {
    Worker a = cluster.grid().worker("A");
    Worker b = cluster.grid().worker("B");
    cluster.split(List.of("A", "B"), List.of("C", DRIVER));
    Await.until("this side is suspended", PATIENCE, () -> cluster.grid().isFenced());
    cluster.heal();
    cluster.awaitPeace();
    assertThat(cluster.grid().worker("A")).as("who went on").isEqualTo(a);
    assertThat(cluster.grid().worker("B")).as("who went on").isEqualTo(b);
  }

  @Test
  @Order(3)
  @Tag("slow")
  void workerIsAnotherWhenItReturnsFromFreeze() {
    Worker before = cluster.grid().worker("B");
    try (RRef<Counter> lost = cluster.rrefs().remote("B", Counter::new)) {
      lost.creation().join();
      cluster.freeze("B");
      try {
        cluster.awaitWorkers("A", "C");
        assertFails(Status.RREF_LOST, () -> lost.sync(Counter::add, 1));
      } finally {
        cluster.thaw("B");
      }
      long answered = firstAnswerOf("B");
      cluster.awaitPeace();
      assertThat(cluster.grid().worker("B").id()).isGreaterThan(before.id());
      assertThat(answered).as("whom a called function saw").isNotEqualTo(before.id());
      assertFails(Status.RREF_LOST, () -> lost.sync(Counter::add, 1));
    }
    awaitNothingLeft();
  }

  /** Calls a worker that is away until it answers; returns its id then. */
  private static long firstAnswerOf(String worker) {
    AtomicLong id = new AtomicLong();
    Await.until(
        worker + " answers",
        PATIENCE,
        () -> {
          try {
            id.set(cluster.grid().rpc().sync(worker, Counter::myId));
            return true;
          } catch (GridException e) {
            assertThat(e.status()).isIn(Status.WORKER_LOST, Status.UNKNOWN_WORKER);
            return false;
          }
        });
    return id.get();
  }

  @Test
  @Order(4)
  @Tag("slow")
  void gridContinuesAfterTwoLossesInTurn() {
    cluster.kill("A"); // A is the oldest worker.
    cluster.awaitAgreement("B", "C");
    assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
    cluster.kill("C");
    cluster.awaitWorkers("B");
    assertThat(cluster.grid().isFenced()).isFalse();
    assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
  }

  @Test
  @Order(5)
  @Tag("slow")
  void workerIsFencedAndReturnsWhenItCannotSend() {
    long before = cluster.grid().worker().id();
    cluster.cutOneWay(DRIVER, "A");
    cluster.cutOneWay(DRIVER, "B");
    cluster.cutOneWay(DRIVER, "C");
    Await.until("this side is suspended", PATIENCE, () -> cluster.grid().isFenced());
    cluster.heal();
    cluster.awaitPeace();
    assertThat(cluster.grid().worker().id()).isGreaterThan(before);
  }

  @Test
  @Order(6)
  @Tag("slow")
  void twoOfThreeContinueWithoutOldest() {
    cluster.stop("C"); // A worker that leaves in good order does not count as missing.
    cluster.awaitAgreement("A", "B");
    Worker a = cluster.grid().worker("A");
    Worker b = cluster.grid().worker("B");
    HealthProbe health = HealthProbe.of(cluster.processes(), "A");
    assertThat(health.ready()).isEqualTo("200 SERVING");
    cluster.split(List.of("A"), List.of("B", DRIVER));
    cluster.awaitAgreement("B");
    assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
    Await.until("A says it", PATIENCE, () -> health.ready().equals("503 SUSPENDED"));
    assertThat(health.live()).isEqualTo("200 SUSPENDED");
    cluster.heal();
    Await.until("A says that it is back", PATIENCE, () -> health.ready().equals("200 SERVING"));
    Await.until(
        "A is back, as another",
        PATIENCE,
        () ->
            cluster.grid().workers().stream()
                .anyMatch(w -> w.name().equals("A") && w.id() > a.id()));
    assertThat(cluster.grid().worker("B")).as("who went on").isEqualTo(b);
  }

  @Test
  @Order(7)
  @Tag("slow")
  void threeOfFiveContinueWhenTwoAreCutOff() {
    cluster.start("D");
    cluster.awaitAgreement("A", "B", "C", "D");
    Worker before = cluster.grid().worker();
    cluster.split(List.of("A", "B"), List.of("C", "D", DRIVER));
    cluster.awaitAgreement("C", "D");
    assertThat(cluster.grid().worker()).isEqualTo(before);
    cluster.heal();
    cluster.awaitAgreement("A", "B", "C", "D");
    assertThat(cluster.grid().worker()).as("who went on").isEqualTo(before);
    assertThat(cluster.grid().worker("A").id()).isGreaterThan(before.id());
    assertThat(cluster.grid().worker("B").id()).isGreaterThan(before.id());
    cluster.stop("D");
  }

  /** The smaller side has the owner. The larger side continues with the stored state. */
  @Test
  @Order(8)
  @Tag("slow")
  void durableObjectContinuesOnLargerSide() {
    Worker before = cluster.grid().worker("A");
    try (RRef<Counter.Kept> kept =
        cluster.rrefs().durable(Durability.EVERY_REPLY).remote("A", Counter.Kept::new)) {
      assertThat(kept.sync(Counter.Kept::add, 1)).isEqualTo(1);
      cluster.split(List.of("A"), List.of("B", "C", DRIVER));
      cluster.awaitAgreement("B", "C");
      assertThat(kept.sync(Counter.Kept::add, 1)).isEqualTo(2);
      Worker owner = kept.owner();
      assertThat(owner.id()).isNotEqualTo(before.id());
      cluster.heal();
      cluster.awaitPeace();
      assertThat(kept.owner()).isEqualTo(owner);
      assertThat(kept.sync(Counter.Kept::add, 1)).isEqualTo(3);
      assertThat(cluster.objectsOn("A")).as("what it had is dropped").isZero();
    }
    awaitNothingLeft();
    Await.until(
        "nothing is stored any more",
        PATIENCE,
        () -> cluster.grid().hazelcast().getMap("hazelgrad.values").isEmpty());
  }

  private static void awaitNothingLeft() {
    Await.until("no reference is left", PATIENCE, () -> cluster.rrefs().liveCount() == 0);
  }

  private static void assertFails(Status status, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).as(e.toString()).isEqualTo(status));
  }

  private static Object get(CompletableFuture<?> call) throws Throwable {
    try {
      return call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  /** Listener that records the events of a worker's grid. */
  private static final class News implements GridListener {
    final List<Worker> suspended = new CopyOnWriteArrayList<>();
    final List<Worker> fenced = new CopyOnWriteArrayList<>();
    final List<Worker> rejoined = new CopyOnWriteArrayList<>();

    @Override
    public void suspended(Worker worker, GridException reason) {
      suspended.add(worker);
    }

    @Override
    public void fenced(Worker worker, GridException reason) {
      fenced.add(worker);
    }

    @Override
    public void rejoined(Worker worker) {
      rejoined.add(worker);
    }
  }
}
