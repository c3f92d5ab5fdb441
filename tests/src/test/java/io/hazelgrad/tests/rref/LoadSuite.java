package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.grid;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests with many references at once. */
abstract class LoadSuite {
  private static final int THREADS = 4;
  private static final int EACH = 500;
  private static final int HANDFUL = 250;
  private static final int HANDFULS = 134;

  /** A member that stops refuses the last requests that it gets. */
  private static final List<Status> OF_THE_DYING =
      List.of(
          Status.RREF_LOST,
          Status.RREF_GONE,
          Status.WORKER_LOST,
          Status.UNKNOWN_WORKER,
          Status.REJECTED);

  @Test
  void thousandsOfReferencesLeaveNothing() throws Exception {
    Box.CLOSED.set(0);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        int thread = t;
        ends.add(threads.submit(() -> work(thread)));
      }
      for (Future<?> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(THREADS * EACH);
  }

  /** Each worker creates objects on the others in small groups, and calls functions on some. */
  @Test
  @PeerTest("100000_RRefs_created_and_dropped_under_load")
  @WorkersOnly
  @Tag("slow")
  void hundredThousandReferencesAreCreatedAndReleased() throws Exception {
    Box.CLOSED.set(0);
    List<String> names = List.of("a", "b", "c");
    ExecutorService threads = Executors.newFixedThreadPool(names.size());
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (String from : names) {
        ends.add(threads.submit(() -> comeAndGo(from, names)));
      }
      for (Future<?> end : ends) {
        end.get(180, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(names.size() * HANDFULS * HANDFUL);
  }

  private static void comeAndGo(String from, List<String> names) {
    for (int i = 0; i < HANDFULS; i++) {
      String owner = names.get((names.indexOf(from) + 1 + i % 2) % names.size());
      List<RRef<Box>> made = new ArrayList<>(HANDFUL);
      for (int k = 0; k < HANDFUL; k++) {
        made.add(rrefs(from).remote(owner, Box::new, k));
      }
      assertThat(made.get(i % HANDFUL).sync(Box::add, 1)).isEqualTo(i % HANDFUL + 1);
      made.forEach(RRef::close); // Many of them before their objects exist.
    }
  }

  @Test
  void referencesLeaveNothingWhenWorkerDiesMeanwhile() throws Exception {
    Workers.add("dora");
    AtomicInteger worked = new AtomicInteger();
    AtomicInteger lost = new AtomicInteger();
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        String from = List.of("a", "b", "c", "dora").get(t);
        ends.add(threads.submit(() -> workWithLosses(from, worked, lost, stop)));
      }
      awaitWork(ends, worked, 200);
      Workers.kill("dora");
      awaitWork(ends, worked, worked.get() + 200);
      stop.set(true);
      for (Future<?> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
    assertThat(lost).hasPositiveValue();
    awaitNothingLeft();
  }

  /** Waits until enough work is done. A thread that fails makes the test fail at once. */
  private static void awaitWork(List<Future<?>> ends, AtomicInteger worked, int target) {
    Await.until(
        "work goes on",
        Workers.DEADLINE,
        () -> {
          for (Future<?> end : ends) {
            if (end.isDone()) {
              assertThat(end).succeedsWithin(Duration.ZERO);
            }
          }
          return worked.get() > target;
        });
  }

  /** Every second object is on dora or is sent to dora. */
  private static void workWithLosses(
      String from, AtomicInteger worked, AtomicInteger lost, AtomicBoolean stop) {
    List<String> names = List.of("a", "dora", "b", "c");
    Grid grid = grid(from);
    RRefs rrefs = RRefs.on(grid);
    for (int i = 0; !stop.get() && !grid.isClosed(); i++) {
      String user = names.get(i / 4 % 4);
      try (RRef<Box> box = rrefs.remote(names.get(i % 4), Box::new, i)) {
        if (grid.rpc().sync(user, Box::addTo, box, 2) == i + 2) {
          worked.incrementAndGet();
        }
      } catch (GridException e) {
        if (!from.equals("dora")) { // Failures that dora itself sees while it dies do not count.
          assertThat(e.status()).as(e.toString()).isIn(OF_THE_DYING);
        }
        lost.incrementAndGet();
      }
    }
  }

  private static void work(int thread) {
    List<String> names = List.of("a", "b", "c");
    for (int i = 0; i < EACH; i++) {
      String from = names.get((thread + i) % 3);
      String owner = names.get(i % 3);
      RRef<Box> box = rrefs(from).remote(owner, Box::new, i);
      switch (i % 4) {
        case 0 -> {} // Closed during the creation.
        case 1 -> box.creation().join();
        case 2 -> assertThat(box.sync(Box::add, 1)).isEqualTo(i + 1);
        default ->
            assertThat(grid(from).rpc().sync(names.get((i + 1) % 3), Box::addTo, box, 2))
                .isEqualTo(i + 2);
      }
      box.close();
    }
  }
}
