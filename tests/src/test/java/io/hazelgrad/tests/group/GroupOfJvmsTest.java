package io.hazelgrad.tests.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.Groups;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Groups of separate JVMs, some of which die, leave and come back. */
@ExtendWith(Leftovers.class)
class GroupOfJvmsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A", "B", "C").start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Rpc rpc() {
    return cluster.grid().rpc();
  }

  @Test
  void allGatherReturnsReferences() {
    List<CompletableFuture<Integer>> sums = new ArrayList<>();
    int expected = 0;
    for (Worker worker : cluster.grid().workers()) {
      sums.add(rpc().async(worker.name(), GroupFunctions::gatherReferences));
      expected += (int) worker.id();
    }
    assertThat(Rpc.awaitAll(sums)).containsOnly(expected);
  }

  @Test
  void barrierNamesDeadWorkerAtOnceAndOthersMeetAgain() {
    cluster.startMissing();
    CompletableFuture<Boolean> follower = rpc().async("B", GroupFunctions::meet, 60_000);
    CompletableFuture<?> own = Groups.of(cluster.grid()).all().barrierAsync();
    rpc().sync("C", GroupFunctions::id);
    cluster.kill("C");
    for (CompletableFuture<?> wait : List.of(follower, own)) {
      GridException lost = catchThrowableOfType(GridException.class, () -> Rpc.await(wait));
      assertThat(lost.status()).isEqualTo(Status.WORKER_LOST);
      assertThat(lost).hasMessageContaining("worker [C] was lost");
    }
    cluster.awaitWorkers("A", "B");
    Rpc.awaitAll(
        List.of(
            rpc().async("A", GroupFunctions::meet, 30_000),
            rpc().async("B", GroupFunctions::meet, 30_000),
            Groups.of(cluster.grid()).all().barrierAsync()));
    cluster.start("C");
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (String name : List.of("A", "B", "C")) {
      all.add(rpc().async(name, GroupFunctions::meet, 30_000));
    }
    Groups.of(cluster.grid()).all().barrier();
    assertThat(Rpc.awaitAll(all)).containsOnly(true);
  }

  @Test
  void errorsDistinguishWorkersThatLeftFromLostOnes() {
    cluster.startMissing();
    CompletableFuture<String> left = rpc().async("B", GroupFunctions.NEVER);
    CompletableFuture<String> lost = rpc().async("C", GroupFunctions.NEVER);
    rpc().sync("B", GroupFunctions::id);
    rpc().sync("C", GroupFunctions::id);
    cluster.stop("B");
    cluster.kill("C");
    GridException orderly = catchThrowableOfType(GridException.class, () -> Rpc.await(left));
    assertThat(orderly.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(orderly).hasMessageContaining("has left");
    GridException killed = catchThrowableOfType(GridException.class, () -> Rpc.await(lost));
    assertThat(killed.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(killed).hasMessageContaining("was lost");
  }

  /** Calls continue while a worker is killed, stopped and started again under its name. */
  @Test
  @PeerTest("rolling_restart")
  @Tag("slow")
  void callToOldWorkerNeverReachesNewOneOfSameName() throws InterruptedException {
    cluster.startMissing();
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger steady = new AtomicInteger();
    Map<Long, AtomicInteger> served = new ConcurrentHashMap<>();
    Set<String> wrong = new ConcurrentSkipListSet<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(
          new Thread(
              () -> {
                while (!over.get()) {
                  call(served, wrong);
                  if (rpc().sync("A", GroupFunctions::work, 0) == 0) { // Throws if A is disturbed.
                    steady.incrementAndGet();
                  }
                }
              },
              "load-" + i));
    }
    threads.forEach(Thread::start);
    Map<Long, Integer> before = new TreeMap<>();
    try {
      for (boolean killed : new boolean[] {true, false}) {
        long id = cluster.grid().worker("B").id();
        awaitServed(served, id);
        if (killed) {
          cluster.kill("B");
        } else {
          cluster.stop("B");
        }
        cluster.start("B");
        before.put(id, served.get(id).get());
        long next = cluster.grid().worker("B").id();
        assertThat(next).isGreaterThan(id);
        awaitServed(served, next);
      }
    } finally {
      over.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(served).hasSize(3);
    before.forEach((id, count) -> assertThat(served.get(id)).as("after its end").hasValue(count));
    assertThat(steady).hasPositiveValue();
  }

  private static void awaitServed(Map<Long, AtomicInteger> served, long id) {
    Await.until(
        "calls reach worker " + id,
        DEADLINE,
        () -> served.getOrDefault(id, new AtomicInteger()).get() > 50);
  }

  private static void call(Map<Long, AtomicInteger> served, Set<String> wrong) {
    Worker worker;
    try {
      worker = cluster.grid().worker("B");
      long id = rpc().sync(worker, Function.of(GroupFunctions::id));
      if (id != worker.id()) {
        wrong.add("a call for " + worker.id() + " reached " + id);
      }
      served.computeIfAbsent(id, unused -> new AtomicInteger()).incrementAndGet();
    } catch (GridException e) {
      if (e.status() != Status.WORKER_LOST && e.status() != Status.UNKNOWN_WORKER) {
        wrong.add(e.toString());
      }
    }
  }
}
