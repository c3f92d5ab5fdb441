package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves the grid in good order, in bounded time. {@link Grid#close()} instead leaves at once.
 *
 * <p>First the worker waits until its own calls and those that it serves have ended; it serves
 * further ones meanwhile. Then {@link #together} waits until all workers do the same and no call is
 * under way anywhere, so that even a chain of calls that nobody waits for is served to its end;
 * {@link #alone} does not. Then the grid closes. Before each step that others should know they are
 * told: calls to a role pass over a worker that leaves alone, and nobody takes one that has left
 * for lost.
 *
 * <pre>{@code
 * ShutdownReport report = Shutdown.of(grid).together(Duration.ofSeconds(30), Duration.ofSeconds(60));
 * }</pre>
 *
 * <p>Each phase has its own limit; closing has {@value #CLOSE_SECONDS} s. What was cut off or
 * missing is in the report, not thrown. The first call decides; further ones, also of other
 * threads, get the same report.
 *
 * <p>Threads: safe.
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
  private final LeaveNotice leaving;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final Set<String> lost = new ConcurrentSkipListSet<>();
  private final CompletableFuture<ShutdownReport> report = new CompletableFuture<>();

  Shutdown(GridContext context, Groups groups, LeaveNotice leaving) {
    this.context = context;
    this.groups = groups;
    this.leaving = leaving;
  }

  /** Returns the shutdown of a grid. */
  public static Shutdown of(Grid grid) {
    return grid.service(GroupServices.class).shutdown();
  }

  /** Leaves alone, with 60 s for what is under way here. */
  public ShutdownReport alone() {
    return alone(DEFAULT);
  }

  /**
   * Leaves alone: waits for what is under way here, tells the others, closes.
   *
   * @param drain how long to wait for the calls from and to this worker
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
   * Leaves together with all others: waits for what is under way here, then until every living
   * worker has called this too and no call is under way anywhere, and closes. Meanwhile it serves
   * calls.
   *
   * @param drain how long to wait for the calls from and to this worker
   * @param peers how long to wait for the others
   * @throws GridException as {@link #alone(Duration)}
   */
  public ShutdownReport together(Duration drain, Duration peers) {
    requireOutside("togetherAsync");
    return Rpc.await(togetherAsync(drain, peers));
  }

  /** As {@link #alone(Duration)}, at once. */
  public CompletableFuture<ShutdownReport> aloneAsync(Duration drain) {
    return begin(drain, null);
  }

  /** As {@link #together(Duration, Duration)}, at once. */
  public CompletableFuture<ShutdownReport> togetherAsync(Duration drain, Duration peers) {
    return begin(drain, peers);
  }

  /** Returns whether this worker is leaving by a call of these, or has left so. */
  public boolean isBegun() {
    return begun.get();
  }

  private static void requireOutside(String remedy) {
    boolean inside;
    try {
      inside = Grid.current() != null;
    } catch (GridException e) {
      inside = false;
    }
    if (inside) {
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
          Status.BAD_ARGUMENT, "a limit must not be negative: " + drain + ", " + peers);
    }
    if (begun.compareAndSet(false, true)) {
      Runnable work =
          () -> {
            try {
              report.complete(run(drain, peers));
            } catch (Throwable e) { // Whoever waits must hear of it.
              report.completeExceptionally(e);
            }
          };
      start(work, "shutdown");
    }
    return report.copy();
  }

  /** On a thread of its own: those of the grid end with it. */
  private void start(Runnable work, String what) {
    Thread thread = new Thread(work, "hazelgrad-" + context.self().name() + "-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  void gone(Worker worker) {
    if (begun.get() && !context.hasLeft(worker.id())) {
      lost.add(worker.name());
    }
  }

  private ShutdownReport run(Duration drain, @Nullable Duration peers) {
    long start = System.nanoTime();
    try {
      leaving.announce(peers == null ? LeaveNotice.Way.ALONE : LeaveNotice.Way.TOGETHER);
    } catch (GridException e) {
      LOG.debug("the grid is closed", e); // What follows ends at once.
    }
    boolean drained = drain(start + drain.toNanos());
    long afterDrain = System.nanoTime();
    List<String> missing =
        peers == null ? List.of() : awaitPeers(drained, afterDrain + peers.toNanos());
    long afterPeers = System.nanoTime();
    Activity left = context.activity();
    // Who closes at the same time may not tell this worker any more, and would seem lost.
    List<String> lostBefore = List.copyOf(lost);
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

  /** Waits until nothing is under way from or to this worker; false if that took too long. */
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
   * Meets the others until all are here and no call is under way. A message may be on its way while
   * nobody counts it, so one look is not enough: everybody gives how many calls it began, and if
   * all are quiet twice in a row with the same figures, none was under way in between.
   *
   * @param drained whether the own calls are worth waiting for; otherwise others need not either
   * @return the names of those who did not come
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
          return List.of();
        }
        before = all;
      } catch (GridException e) {
        if (e.status() != Status.WORKER_LOST && e.status() != Status.TIMEOUT) {
          LOG.debug("the others are not waited for any more", e);
          return missing();
        }
        before = Map.of(); // Who was lost is not waited for any more, and a late one had its time.
      }
      LockSupport.parkNanos(this, Math.min(ROUND_PAUSE_NANOS, Math.max(0, nanos)));
    }
  }

  private List<String> missing() {
    try {
      return LivingWorkers.others(context).stream()
          .filter(worker -> !leaving.isTogether(worker.id()))
          .map(Worker::name)
          .sorted()
          .toList();
    } catch (GridException e) {
      LOG.debug("the grid is closed", e);
      return List.of();
    }
  }

  private boolean close() {
    CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    start(
        () -> {
          try {
            context.grid().close();
          } finally {
            closed.complete(null);
          }
        },
        "closing");
    try {
      var unused = closed.get(CLOSE_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("nobody fails it", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
