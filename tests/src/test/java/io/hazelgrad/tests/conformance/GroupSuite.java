package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.group.Group;
import io.hazelgrad.grid.group.Groups;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests of barriers and gathers. A worker that waits in one still serves calls. */
@RemoteFunctions
class GroupSuite extends PeerSuite {
  private static final Map<String, AtomicInteger> COUNTS = new ConcurrentHashMap<>();

  static int add(String counter, int amount) {
    return COUNTS.computeIfAbsent(counter, name -> new AtomicInteger()).addAndGet(amount);
  }

  static int forward(String to, int n) {
    return rpc().sync(to, FutureSuite::plus, n, 1);
  }

  private static Group all() {
    return Groups.of(grid()).all();
  }

  private static Group named(int... ranks) {
    return Groups.of(grid())
        .named(IntStream.of(ranks).mapToObj(FourWorkers::name).toArray(String[]::new));
  }

  /** Counts itself on the first worker, waits at the barrier, and checks the count of the group. */
  private static void counted(String counter, Group group, int size) {
    rpc().sync(FourWorkers.name(0), GroupSuite::add, counter, 1);
    group.barrier();
    assertThat(rpc().sync(FourWorkers.name(0), GroupSuite::add, counter, 0)).isEqualTo(size);
    group.barrier(); // Before the next count begins.
    rpc().sync(FourWorkers.name(0), GroupSuite::add, counter, -1);
    group.barrier();
  }

  @Test
  @PeerTest("test_rpc_barrier_all")
  void barrierWaitsForAllWorkers() {
    counted("all", all(), 4);
  }

  @Test
  @PeerTest("test_rpc_barrier_subset")
  void barrierWaitsForTwoGroups() {
    boolean even = rank() % 2 == 0;
    counted(even ? "even" : "odd", even ? named(0, 2) : named(3, 1), 2);
  }

  @Test
  @PeerTest("test_rpc_barrier_partial_subset")
  void barrierWaitsForGroupOfTwoAndSingles() {
    if (rank() % 2 == 0) {
      counted("half", named(2, 0), 2);
    } else {
      counted("single " + rank(), named(rank()), 1);
    }
  }

  @Test
  @PeerTest("test_rpc_barrier_multithreaded")
  void barriersWorkFromThreeThreads() {
    List<CompletableFuture<?>> threads = new ArrayList<>();
    Group group = all();
    for (int i = 0; i < 3; i++) {
      threads.add(CompletableFuture.runAsync(group::barrier, work -> new Thread(work).start()));
    }
    Rpc.awaitAll(threads);
  }

  @Test
  @PeerTest("test_all_gather")
  void allGatherReturnsValueOfEachWorker() {
    assertThat(all().allGather(grid().worker().id()))
        .hasSize(4)
        .allSatisfy((name, id) -> assertThat(grid().worker(name).id()).isEqualTo(id));
  }

  @Test
  @PeerTest("test_all_gather_timeout")
  void allGatherTimesOutWhenWorkerIsAbsent() {
    if (rank() == 3) {
      return; // This worker does not join the gather.
    }
    fails(
        Status.TIMEOUT,
        "[worker3] did not arrive within 100 ms",
        () -> named(0, 1, 2, 3).keyed("late").within(Duration.ofMillis(100)).allGather(1));
  }

  @Test
  @PeerTest("test_wait_all_workers_timeout")
  void barrierTimesOutWhenWorkerIsAbsent() {
    if (rank() == 0) {
      return;
    }
    fails(
        Status.TIMEOUT,
        "worker0",
        () -> named(0, rank()).keyed("late").within(Duration.ofMillis(10)).barrier());
  }

  @Test
  @PeerTest("test_wait_all_workers_dense")
  void workersServeCallsDuringBarrier() {
    drive();
    all().barrier();
  }

  @Test
  @PeerTest("test_wait_all_workers_twice_dense")
  void workersServeCallsDuringTwoBarriers() {
    drive();
    all().barrier();
    all().barrier();
  }

  /** The first worker makes two others work that wait at the barrier already. */
  private static void drive() {
    if (rank() == 0) {
      for (int i = 0; i < 20; i++) {
        assertThat(rpc().sync(dst(1), GroupSuite::forward, dst(2), i)).isEqualTo(i + 1);
        assertThat(rpc().sync(dst(2), GroupSuite::forward, dst(3), i)).isEqualTo(i + 1);
      }
    }
  }
}
