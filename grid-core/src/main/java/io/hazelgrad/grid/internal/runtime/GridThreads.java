package io.hazelgrad.grid.internal.runtime;

import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.internal.concurrent.BackgroundTasks;
import io.hazelgrad.grid.internal.concurrent.CallbackExecutor;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.serve.CallPool;
import io.hazelgrad.grid.spi.Handler;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one grid: a timer, those of the lanes of calls, and a pool for the background and
 * for users' callbacks that grows as needed, because they may block.
 */
final class GridThreads {
  /** The time for callbacks while the grid closes, and again after they were interrupted. */
  private static final long CLOSE_SECONDS = 5;

  private static final int CONTROL_PERMITS = 4;

  final ExecutorService background;
  final ScheduledThreadPoolExecutor timer;

  /** Completes futures, on the background threads. */
  final Executor completions;

  final DeadlineWheel deadlines;
  final Map<Handler.Lane, CallPool> lanes = new EnumMap<>(Handler.Lane.class);

  GridThreads(HazelgradConfig config) {
    String worker = config.name();
    background = Executors.newCachedThreadPool(daemons("hazelgrad-" + worker + "-background-"));
    timer = new ScheduledThreadPoolExecutor(1, daemons("hazelgrad-" + worker + "-timer-"));
    timer.setRemoveOnCancelPolicy(true);
    completions = new CallbackExecutor(background, timer);
    deadlines = new DeadlineWheel(timer);
    lanes.put(Handler.Lane.CONTROL, pool(worker, "control", CONTROL_PERMITS, config));
    lanes.put(Handler.Lane.COMPUTE, pool(worker, "compute", config.maxRunning(), config));
    lanes.put(Handler.Lane.USER, pool(worker, "calls", config.maxRunning(), config));
  }

  private CallPool pool(String worker, String lane, int permits, HazelgradConfig config) {
    return new CallPool(
        permits,
        config.maxQueued(),
        config.maxWaiting(),
        daemons("hazelgrad-" + worker + "-" + lane + "-"));
  }

  private ThreadFactory daemons(String prefix) {
    AtomicInteger count = new AtomicInteger();
    return work -> new Own(work, prefix + count.incrementAndGet());
  }

  void close() {
    timer.shutdownNow();
    lanes.values().forEach(CallPool::close);
    background.shutdown();
    boolean isOwn = Thread.currentThread() instanceof Own own && own.owner() == this;
    if (isOwn || lanes.values().stream().anyMatch(CallPool::isGuest)) {
      return; // A callback or a called function closes the grid: its thread ends after it.
    }
    try {
      if (!background.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        background.shutdownNow();
        background.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
      for (CallPool lane : lanes.values()) {
        lane.awaitEnd(CLOSE_SECONDS);
      }
      timer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      background.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private final class Own extends Thread {
    Own(Runnable work, String name) {
      super(work, name);
      setDaemon(true);
      setUncaughtExceptionHandler(
          (thread, failure) -> BackgroundTasks.log("work on thread " + name + " failed", failure));
    }

    GridThreads owner() {
      return GridThreads.this;
    }
  }
}
