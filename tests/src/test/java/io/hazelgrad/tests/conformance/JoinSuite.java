package io.hazelgrad.tests.conformance;

import static io.hazelgrad.tests.conformance.PeerSuite.fails;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.TestDriver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of workers that join the four, and of their configuration. */
@ExtendWith({FourWorkers.class, Leftovers.class})
@RemoteFunctions
class JoinSuite {
  private static final String LATE = "worker4";

  /** Returns the cluster with a fifth worker, which joined later, in a JVM of its own. */
  private static JvmCluster withLateWorker() {
    JvmCluster cluster = FourWorkers.cluster();
    if (!cluster.processes().workers().contains(LATE)
        || !cluster.processes().worker(LATE).isAlive()) {
      cluster.start(LATE);
    }
    return cluster;
  }

  @AfterAll
  static void lateWorkerLeaves() {
    JvmCluster cluster = FourWorkers.cluster();
    if (cluster.processes().workers().contains(LATE)
        && cluster.processes().worker(LATE).isAlive()) {
      cluster.stop(LATE);
    }
    cluster.awaitWorkers("worker1", "worker2", "worker3");
  }

  /** Joins the four from the JVM of the tests. */
  private static Grid join(String name) {
    return Grid.join(FourWorkers.cluster().processes().joiner(name).build());
  }

  @Test
  @PeerTest("test_invalid_names")
  void nameIsRefusedWhenInvalid() {
    for (String name : List.of("abc*", " ")) {
      fails(Status.BAD_CONFIG, "letters, digits", () -> HazelgradConfig.named(name));
    }
    fails(Status.BAD_CONFIG, "must not be empty", () -> HazelgradConfig.named(""));
    fails(Status.BAD_CONFIG, "1 to 127", () -> HazelgradConfig.named("a".repeat(500)));
  }

  @Test
  @PeerTest("test_duplicate_name")
  void joinFailsWhenNameIsTaken() {
    for (Worker worker : FourWorkers.cluster().grid().workers()) {
      fails(Status.NAME_TAKEN, worker.name(), () -> join(worker.name()));
    }
  }

  /** Two workers join at the same time with the same name. */
  @Test
  @PeerTest("test_duplicate_name_2")
  void oneOfTwoJoinsSucceedsWhenNamesAreEqual() {
    CompletableFuture<Grid> one = CompletableFuture.supplyAsync(() -> join("twin"));
    CompletableFuture<Grid> other = CompletableFuture.supplyAsync(() -> join("twin"));
    boolean oneFailed = failedBecauseTaken(one);
    assertThat(failedBecauseTaken(other)).isNotEqualTo(oneFailed);
    (oneFailed ? other : one).join().close();
  }

  private static boolean failedBecauseTaken(CompletableFuture<Grid> joining) {
    try {
      var unused = joining.join();
      return false;
    } catch (CompletionException e) {
      assertThat(((GridException) e.getCause()).status()).isEqualTo(Status.NAME_TAKEN);
      return true;
    }
  }

  @Test
  @PeerTest("test_reinit")
  void secondGridIsRefusedOnTheSameInstance() {
    Grid grid = FourWorkers.cluster().grid();
    fails(Status.BAD_CONFIG, "is a worker already", () -> Grid.on(grid.hazelcast()));
    assertThat(grid.rpc().sync("worker1", PeerSuite::self)).isEqualTo("worker1");
  }

  @Test
  @PeerTest("test_init_rpc_twice")
  void workerJoinsAgainAfterItsGridClosed() {
    long first;
    try (Grid grid = join("again")) {
      first = grid.worker().id();
      assertThat(grid.rpc().sync("worker1", PeerSuite::self)).isEqualTo("worker1");
    }
    try (Grid grid = join("again")) {
      assertThat(grid.worker().id()).isGreaterThan(first);
      assertThat(grid.rpc().sync("worker1", PeerSuite::self)).isEqualTo("worker1");
    }
  }

  @Test
  @PeerTest("test_world_size_one")
  void singleWorkerCallsItself() {
    try (InProcessGrids grids = InProcessGrids.join("me")) {
      Grid grid = grids.grid("me");
      Function<Tensor> add = Function.operator("add");
      Tensor one = Tensor.scalar(1);
      Tensor two = Tensor.scalar(2);
      assertThat(grid.rpc().sync("me", add, one, one)).isEqualTo(two);
      assertThat(grid.rpc().async("me", add, one, one).join()).isEqualTo(two);
      try (RRef<Tensor> rref = RRefs.on(grid).remote("me", add, one, one)) {
        assertThat(rref.toHere()).isEqualTo(two);
      }
    }
  }

  @Test
  @PeerTest("test_set_and_get_num_worker_threads")
  void maxRunningAppliesToWorker() {
    assertThat(HazelgradConfig.named("a").maxRunning(27).build().maxRunning()).isEqualTo(27);
    fails(Status.BAD_CONFIG, "maxRunning", () -> HazelgradConfig.named("a").maxRunning(0));
    try (Grid grid =
        Grid.join(FourWorkers.cluster().processes().joiner("wide").maxRunning(27).build())) {
      Function<Map<String, Long>> figures = Function.of(MetricsSuite::figures);
      assertThat(FourWorkers.cluster().grid().rpc().sync("wide", figures))
          .containsEntry("agent.thread_pool_size", 27L);
      assertThat(grid.worker().name()).isEqualTo("wide");
    }
  }

  @Test
  @PeerTest("test_tensorpipe_set_default_timeout")
  void callTimeoutIsReadBackFromConfiguration() {
    Duration timeout = Duration.ofSeconds(100);
    assertThat(HazelgradConfig.named("a").callTimeout(timeout).build().callTimeout())
        .isEqualTo(timeout);
  }

  /** A {@link Duration} has a unit, so only a negative one can be wrong. */
  @Test
  @PeerTest("test_tensorpipe_options_throw_on_timedelta_timeout")
  void timeoutIsRefusedWhenNegative() {
    Duration negative = Duration.ofSeconds(-1);
    fails(Status.BAD_CONFIG, "callTimeout", () -> HazelgradConfig.named("a").callTimeout(negative));
    fails(
        Status.BAD_ARGUMENT, "negative", () -> FourWorkers.cluster().grid().rpc().within(negative));
  }

  private static final Duration HASTY = Duration.ofMillis(500);

  @Test
  @PeerTest("test_set_and_get_default_rpc_timeout")
  void defaultTimeoutAppliesToCallsOfWorker() {
    try (Grid grid =
        Grid.join(FourWorkers.cluster().processes().joiner("hasty").callTimeout(HASTY).build())) {
      assertHasty(TestDriver.of(grid));
    }
  }

  @Test
  @PeerTest(value = "test_set_and_get_default_rpc_timeout", client = true)
  void defaultTimeoutAppliesToCallsOfClient() {
    HazelgradConfig hasty = HazelgradConfig.named("hasty-client").callTimeout(HASTY).build();
    try (TestDriver client = TestDriver.of(FourWorkers.client(hasty))) {
      assertHasty(client);
    }
  }

  private static void assertHasty(TestDriver driver) {
    String key = "default of " + driver.name();
    fails(Status.TIMEOUT, "worker1", () -> driver.rpc().sync("worker1", Latches::await, key, 1));
    Rpc patient = driver.rpc().within(Duration.ofSeconds(20));
    assertThat(patient.sync("worker1", Latches::release, key)).isZero();
  }

  /** The application uses Hazelcast after the grid has started. */
  @Test
  @PeerTest("test_init_rpc_then_pg")
  void applicationUsesHazelcastAfterJoining() {
    Grid grid = FourWorkers.cluster().grid();
    var own = grid.hazelcast().<String, Integer>getMap("the application's own");
    own.set("a", 1);
    assertThat(grid.rpc().sync("worker1", PeerSuite::self)).isEqualTo("worker1");
    assertThat(own.get("a")).isEqualTo(1);
    own.destroy();
  }

  @Test
  @PeerTest("test_dynamic_rpc_init_rpc")
  void workerJoinsRunningGrid() {
    try (Grid grid = join("dynamic")) {
      assertThat(grid.workers()).hasSizeGreaterThanOrEqualTo(5);
    }
  }

  @Test
  @PeerTest("test_dynamic_rpc_new_rank_can_communicated_with_existing_rank")
  void lateWorkerCallsExistingWorkers() {
    JvmCluster cluster = withLateWorker();
    for (int rank = 0; rank < FourWorkers.COUNT; rank++) {
      String existing = FourWorkers.name(rank);
      assertThat(cluster.grid().rpc().sync(LATE, JoinSuite::ask, existing)).isEqualTo(existing);
    }
  }

  static String ask(String worker) {
    return Grid.current().rpc().sync(worker, PeerSuite::self);
  }

  @Test
  @PeerTest("test_dynamic_rpc_existing_rank_can_communicate_with_new_rank")
  void existingWorkersCallLateWorker() {
    JvmCluster cluster = withLateWorker();
    for (int rank = 0; rank < FourWorkers.COUNT; rank++) {
      String existing = FourWorkers.name(rank);
      assertThat(cluster.grid().rpc().sync(existing, JoinSuite::ask, LATE)).isEqualTo(LATE);
    }
  }

  /** A worker needs no number to join: the grid assigns it. */
  @Test
  @PeerTest("test_dynamic_rpc_init_rpc_without_rank")
  void lateWorkerGetsLargerId() {
    JvmCluster cluster = withLateWorker();
    long late = cluster.grid().worker(LATE).id();
    for (int rank = 0; rank < FourWorkers.COUNT; rank++) {
      assertThat(cluster.grid().worker(FourWorkers.name(rank)).id()).isLessThan(late);
    }
  }

  /** A slow call blocks neither joining nor leaving. */
  @Test
  @PeerTest("test_deadlock")
  void joinAndLeaveCompleteDuringSlowCall() {
    Grid grid = FourWorkers.cluster().grid();
    CompletableFuture<Integer> slow = grid.rpc().async("worker1", Latches::await, "deadlock", 1);
    try (Grid other = join("meanwhile")) {
      assertThat(other.rpc().sync("worker1", PeerSuite::self)).isEqualTo("worker1");
    }
    assertThat(slow).isNotDone();
    assertThat(grid.rpc().sync("worker1", Latches::release, "deadlock")).isZero();
    assertThat(slow.join()).isEqualTo(1);
  }

  @Test
  @PeerTest("test_handle_send_exceptions")
  void callsFailWhenCalleeIsKilled() {
    assertCallsToADeadWorkerEnd(TestDriver.of(FourWorkers.cluster().grid()));
  }

  @Test
  @PeerTest(value = "test_handle_send_exceptions", client = true)
  void callsOfClientFailWhenCalleeIsKilled() {
    try (TestDriver client = TestDriver.of(FourWorkers.client())) {
      assertCallsToADeadWorkerEnd(client);
    }
  }

  private static void assertCallsToADeadWorkerEnd(TestDriver driver) {
    JvmCluster cluster = withLateWorker();
    CompletableFuture<Integer> pending = driver.rpc().async(LATE, Latches::await, "never", 1);
    assertThat(driver.rpc().sync(LATE, PeerSuite::self)).isEqualTo(LATE); // Both have arrived.
    Worker gone = driver.worker(LATE);
    cluster.kill(LATE);
    GridException lost = fails(Status.WORKER_LOST, LATE, () -> Rpc.await(pending));
    assertThat(lost.mayHaveRun()).isTrue();
    cluster.awaitWorkers("worker1", "worker2", "worker3");
    Await.until(
        "it is not among the workers",
        Duration.ofSeconds(20),
        () -> driver.workers().stream().noneMatch(worker -> worker.name().equals(LATE)));
    Function<String> self = Function.of(PeerSuite::self);
    GridException late = fails(Status.WORKER_LOST, LATE, () -> driver.rpc().sync(gone, self));
    assertThat(late.mayHaveRun()).isFalse();
    fails(Status.UNKNOWN_WORKER, LATE, () -> driver.rpc().sync(LATE, self));
    assertThat(driver.rpc().sync("worker1", self)).isEqualTo("worker1");
  }
}
