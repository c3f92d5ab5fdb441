package io.hazelgrad.grid.group;

import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridProvider;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Activity;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves the grid in good order and in bounded time. {@link Grid#close()} leaves at once.
 *
 * <p>First the worker waits until the calls that it made and those that it serves have ended;
 * meanwhile it accepts further calls. Then {@link #together} waits until all workers do the same
 * and no call is under way anywhere, so that even a chain of calls without a waiting caller ends;
 * {@link #alone} does not. Then the grid closes. The other workers are told before these steps:
 * calls to a role pass over a worker that leaves alone, and a worker that has left is not taken for
 * lost. If every member is one of a worker that leaves together with the others, none hands its
 * data over, since no member stays to take it.
 *
 * <pre>{@code
 * ShutdownReport report = Shutdown.of(grid).together(Duration.ofSeconds(30), Duration.ofSeconds(60));
 * }</pre>
 *
 * <p>Each phase has its own limit; closing has {@value #CLOSE_SECONDS} s. Calls that were cut off
 * and workers that were missing are in the report; they are not thrown. The first call decides;
 * later calls of any thread return the same report. Threads: safe.
 */
public final class Shutdown {
  private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
  private static final Duration DEFAULT = Duration.ofSeconds(60);
  private static final int CLOSE_SECONDS = 10;
  private static final String KEY = "hazelgrad.shutdown";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long ROUND_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final GridContext context;
  private final Groups groups;
  private final LeaveNotice notices;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final Set<String> lostWorkers = new ConcurrentSkipListSet<>();
  private final CompletableFuture<ShutdownReport> report = new CompletableFuture<>();

  Shutdown(GridContext context, Groups groups, LeaveNotice notices) {
    this.context = context;
    this.groups = groups;
    this.notices = notices;
  }

  /** Returns the shutdown of a grid. */
  public static Shutdown of(Grid grid) {
    return grid.service(GroupServices.class).shutdown();
  }

  /** Leaves alone, with 60 s for the calls under way here. */
  public ShutdownReport alone() {
    return alone(DEFAULT);
  }

  /**
   * Leaves alone: waits for the calls under way here, tells the others, and closes.
   *
   * @param drain the longest wait for the calls from and to this worker
   * @throws GridException BAD_ARGUMENT if the duration is negative, or in a called function, which
   *     would wait for itself: use {@link #aloneAsync} there
   */
  public ShutdownReport alone(Duration drain) {
    requireOutside("aloneAsync");
    return Rpc.await(aloneAsync(drain));
  }

  /** Leaves together with all others, with 60 s for each phase. */
  public ShutdownReport together() {
    return together(DEFAULT, DEFAULT);
  }

  /**
   * Leaves together with all others: waits for the calls under way here, then until every living
   * worker has called this method and no call is under way anywhere, and closes. Meanwhile it
   * serves calls.
   *
   * @param drain the longest wait for the calls from and to this worker
   * @param peers the longest wait for the others
   * @throws GridException as {@link #alone(Duration)}
   */
  public ShutdownReport together(Duration drain, Duration peers) {
    requireOutside("togetherAsync");
    return Rpc.await(togetherAsync(drain, peers));
  }

  /** Does {@link #alone(Duration)} without waiting. */
  public CompletableFuture<ShutdownReport> aloneAsync(Duration drain) {
    return begin(drain, null);
  }

  /** Does {@link #together(Duration, Duration)} without waiting. */
  public CompletableFuture<ShutdownReport> togetherAsync(Duration drain, Duration peers) {
    return begin(drain, peers);
  }

  /** Returns whether a shutdown of this worker has begun. */
  public boolean isBegun() {
    return begun.get();
  }

  private static void requireOutside(String remedy) {
    if (GridProvider.INSTANCE.current() != null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "a called function cannot wait for a shutdown, which waits for the function: use "
              + remedy
              + "(...) and return");
    }
  }

  private CompletableFuture<ShutdownReport> begin(Duration drain, @Nullable Duration peers) {
    if (drain.isNegative() || (peers != null && peers.isNegative())) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a time limit must not be negative: " + drain + ", " + peers);
    }
    if (begun.compareAndSet(false, true)) {
      var unused = report.completeAsync(() -> run(drain, peers), work -> start(work, "shutdown"));
    }
    return report.copy();
  }

  /** Starts a thread of its own, since the grid's threads end with the grid. */
  private void start(Runnable work, String what) {
    Thread thread = new Thread(work, "hazelgrad-" + context.self().name() + "-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  void lost(Worker worker) {
    if (begun.get() && !context.directory().hasLeft(worker.id())) {
      lostWorkers.add(worker.name());
    }
  }

  private ShutdownReport run(Duration drain, @Nullable Duration peers) {
    long start = System.nanoTime();
    try {
      notices.announce(peers == null ? LeaveNotice.Kind.ALONE : LeaveNotice.Kind.TOGETHER);
    } catch (GridException e) {
      LOG.debug("the grid is closed", e); // The phases below end at once.
    }
    boolean drained = drain(start + drain.toNanos());
    long afterDrain = System.nanoTime();
    List<String> missing =
        peers == null ? List.of() : awaitPeers(drained, afterDrain + peers.toNanos());
    long afterPeers = System.nanoTime();
    Activity left = context.activity();
    // Workers that close at the same time may not be able to tell this one, and would seem lost.
    List<String> lostBefore = List.copyOf(lostWorkers);
    boolean closed = close();
    ShutdownReport result =
        new ShutdownReport(
            Duration.ofNanos(afterDrain - start),
            Duration.ofNanos(peers == null ? 0 : afterPeers - afterDrain),
            Duration.ofNanos(System.nanoTime() - afterPeers),
            left.outstanding(),
            left.serving(),
            missing,
            lostBefore,
            closed);
    if (!result.isClean()) {
      LOG.warn("worker {} did not leave cleanly: {}", context.self().name(), result);
    }
    return result;
  }

  /** Waits until no call from or to this worker is under way; false if the deadline passed. */
  private boolean drain(long deadline) {
    while (!context.activity().isQuiet()) {
      if (System.nanoTime() - deadline >= 0 || context.ended() != null) {
        return false;
      }
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
    return true;
  }

  /**
   * Waits until all workers are here and no call is under way. A message may be on its way while no
   * worker counts it, so one comparison is not enough. Each worker gives the number of calls that
   * it began. If all are quiet twice in a row with the same numbers, no call was under way in
   * between. A worker that is not drained is not waited for by others either.
   */
  private List<String> awaitPeers(boolean drained, long deadline) {
    Map<String, List<Long>> before = Map.of();
    while (true) {
      long nanos = deadline - System.nanoTime();
      if (nanos <= 0 || context.ended() != null) {
        return missing();
      }
      Activity now = context.activity();
      boolean quiet = now.isQuiet() || !drained;
      try {
        Map<String, List<Long>> all =
            groups
                .all()
                .keyed(KEY)
                .within(Duration.ofNanos(nanos))
                .allGather(List.of(quiet ? 1L : 0L, drained ? now.begun() : 0L));
        if (all.equals(before) && all.values().stream().allMatch(each -> each.get(0) == 1)) {
          if (drained && everyMemberIsOf(all.keySet())) {
            context.leaveWithAll();
          }
          return List.of();
        }
        before = all;
      } catch (GridException e) {
        if (e.status() != Status.WORKER_LOST && e.status() != Status.TIMEOUT) {
          LOG.debug("the others are not waited for any more", e);
          return missing();
        }
        before = Map.of(); // A lost worker is not waited for any more, and a late one had its time.
      }
      LockSupport.parkNanos(this, Math.min(ROUND_PAUSE_NANOS, Math.max(0, nanos)));
    }
  }

  /** Returns whether every member that stores data is one of these workers. */
  private boolean everyMemberIsOf(Set<String> workers) {
    try {
      return context.hazelcast().getCluster().getMembers().stream()
          .filter(member -> !member.isLiteMember() && !member.localMember())
          .map(member -> context.directory().on(member.getUuid()))
          .allMatch(worker -> worker != null && workers.contains(worker.name()));
    } catch (HazelcastInstanceNotActiveException e) {
      return false;
    }
  }

  private List<String> missing() {
    try {
      return LivingWorkers.others(context).stream()
          .filter(worker -> !notices.has(LeaveNotice.Kind.TOGETHER, worker))
          .map(Worker::name)
          .sorted()
          .toList();
    } catch (GridException e) {
      LOG.debug("the grid is closed", e);
      return List.of();
    }
  }

  private boolean close() {
    return CompletableFuture.runAsync(context.grid()::close, work -> start(work, "closing"))
        .handle(
            (nothing, failure) -> {
              if (failure != null) {
                LOG.warn("the grid has closed with a failure", failure);
              }
              return true;
            })
        .completeOnTimeout(false, CLOSE_SECONDS, TimeUnit.SECONDS)
        .join();
  }
}
