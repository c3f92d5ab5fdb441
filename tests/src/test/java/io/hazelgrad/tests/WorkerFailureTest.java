package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.cluster.Member;
import com.hazelcast.partition.Partition;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.cli.LocalClients;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.GridCluster;
import io.hazelgrad.testkit.GridTest;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests of workers that die, leave, freeze and come back. */
@GridTest(names = {"A", "B", "C"})
class WorkerFailureTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /**
   * Returns an async stage, so the worker waits without a thread until the caller has seen the
   * result.
   */
  private static final Function<String> NEVER = Function.named(Counter.class, "never");

  private final GridCluster cluster;

  WorkerFailureTest(GridCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void callFailsWhenCalleeIsKilled() {
    CompletableFuture<?> call = cluster.grid().rpc().async("B", NEVER);
    assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
    cluster.kill("B");
    assertFails(() -> get(call), Status.WORKER_LOST, "worker B");
    cluster.awaitWorkers("A", "C");
    assertThatThrownBy(() -> cluster.grid().rpc().sync("B", Counter::whoAmI))
        .hasMessageContaining("B");
  }

  @Test
  void objectIsLostWhenOwnerIsKilled() {
    try (RRef<Counter> counter = cluster.rrefs().remote("B", Counter::new)) {
      counter.creation().join();
      cluster.grid().rpc().sync("A", Counter::keep, counter);
      CompletableFuture<?> call = counter.async(Counter::add, 1);
      assertThat(call.join()).isEqualTo(1);
      cluster.kill("B");
      assertFails(counter::toHere, Status.RREF_LOST, "worker B");
      assertFails(() -> counter.sync(Counter::add, 1), Status.RREF_LOST, "worker B");
      cluster.grid().rpc().sync("A", Counter::letGo);
    }
  }

  @Test
  void forksAreRemovedWhenHolderIsKilled() {
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      cluster.grid().rpc().sync("B", Counter::keep, counter);
    }
    assertThat(cluster.objectsOn("A")).isEqualTo(1);
    assertThat(cluster.rrefs().liveCount()).isEqualTo(1);
    cluster.kill("B");
    cluster.await("A drops its object", () -> cluster.objectsOn("A") == 0);
    cluster.await("no RRef lives", () -> cluster.rrefs().liveCount() == 0);
  }

  @Test
  void objectLivesForOtherHoldersWhenCreatorIsKilled() {
    // B creates a counter on A, and C keeps a reference to it.
    try (RRef<Counter> made = cluster.grid().rpc().sync("B", Counter::makeOn, "A")) {
      cluster.kill("B");
      cluster.awaitWorkers("A", "C");
      assertThat(made.sync(Counter::add, 2)).isEqualTo(2);
      assertThat(cluster.grid().rpc().sync("C", Counter::addThrough, made, 3)).isEqualTo(5);
    }
  }

  @Test
  void workerIsAnotherWhenItRejoinsWithSameName() {
    Worker before = cluster.grid().worker("B");
    cluster.kill("B");
    cluster.start("B");
    cluster.await("the new B is known", () -> !cluster.grid().worker("B").equals(before));
    Worker after = cluster.grid().worker("B");
    assertThat(after.id()).isNotEqualTo(before.id());
    assertThat(after.incarnation()).isNotEqualTo(before.incarnation());
    assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
    Function<String> whoAmI = Function.of(Counter::whoAmI);
    assertFails(() -> cluster.grid().rpc().sync(before, whoAmI), Status.WORKER_LOST, "B");
  }

  @Test
  void workerIsRemovedAtOnceWhenItLeaves() {
    cluster.stop("C");
    cluster.awaitWorkers("A", "B");
    assertFails(
        () -> cluster.grid().rpc().sync("C", Counter::whoAmI), Status.UNKNOWN_WORKER, "\"C\"");
  }

  @Test
  void workerContinuesWhenFrozenForAMoment() {
    cluster.freeze("B");
    assertFails(
        () -> cluster.grid().rpc().within(Duration.ofMillis(300)).sync("B", Counter::whoAmI),
        Status.TIMEOUT,
        "worker B");
    cluster.thaw("B");
    assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
  }

  @Test
  void nameLookupEndsWithCallWhenMemberIsFrozen() {
    Rpc rpc = cluster.grid().rpc().within(Duration.ofMillis(300));
    String unknown = nameKeptBy("B");
    assertFails(() -> rpc.sync(unknown, Counter::whoAmI), Status.UNKNOWN_WORKER, unknown);
    cluster.freeze("B");
    assertFails(() -> rpc.sync(unknown, Counter::whoAmI), Status.TIMEOUT, unknown);
  }

  @Test
  void workerListEndsByDeadlineWhenMemberIsFrozen() {
    HazelgradConfig impatient =
        HazelgradConfig.named("impatient").callTimeout(Duration.ofMillis(300)).build();
    try (GridClient client = GridClient.connect(LocalClients.config(cluster.grid()), impatient)) {
      assertThat(client.workers()).hasSize(4);
      awaitShares();
      cluster.freeze("B");
      try {
        assertFails(client::workers, Status.TIMEOUT, "the list of the workers");
      } finally {
        cluster.thaw("B");
      }
    }
  }

  /** Returns an unused name whose directory entry would be on a worker's member. */
  private String nameKeptBy(String worker) {
    awaitShares();
    Grid grid = cluster.grid();
    PartitionService partitions = grid.hazelcast().getPartitionService();
    UUID keeper = grid.worker(worker).incarnation();
    return IntStream.range(0, 10_000)
        .mapToObj(i -> "nobody" + i)
        .filter(name -> partitions.getPartition(name).getOwner().getUuid().equals(keeper))
        .findFirst()
        .orElseThrow();
  }

  private void awaitShares() {
    PartitionService partitions = cluster.grid().hazelcast().getPartitionService();
    Await.until(
        "every member has its share of the partitions, and none is on its way",
        DEADLINE,
        () -> partitions.isClusterSafe() && isShared(partitions));
  }

  /**
   * Returns whether all partitions are distributed; a member that joined last would have few or
   * none before.
   */
  private static boolean isShared(PartitionService partitions) {
    Map<Member, Long> shares =
        partitions.getPartitions().stream()
            .collect(Collectors.groupingBy(Partition::getOwner, Collectors.counting()));
    long fair = partitions.getPartitions().size() / 4L;
    return shares.size() == 4 && shares.values().stream().allMatch(share -> share > fair * 9 / 10);
  }

  private static void assertFails(ThrowingCallable call, Status status, String named) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(GridException.class, e -> assertThat(e.status()).isEqualTo(status))
        .hasMessageContaining(named);
  }

  private static Object get(CompletableFuture<?> call) throws Throwable {
    try {
      return call.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      throw e.getCause();
    }
  }
}
