package io.hazelgrad.grid;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one grid: a timer, and a pool that grows as needed, because callbacks of users run
 * there and may block.
 */
final class GridThreads {
  /** How long callbacks may go on while the grid closes, and again after they were interrupted. */
  private static final long CLOSE_SECONDS = 5;

  private final ExecutorService background;
  private final ScheduledThreadPoolExecutor timer;

  GridThreads(String worker) {
    background = Executors.newCachedThreadPool(daemons("hazelgrad-" + worker + "-background-"));
    timer = new ScheduledThreadPoolExecutor(1, daemons("hazelgrad-" + worker + "-timer-"));
    timer.setRemoveOnCancelPolicy(true);
  }

  private ThreadFactory daemons(String prefix) {
    AtomicInteger count = new AtomicInteger();
    return work -> new Own(work, prefix + count.incrementAndGet());
  }

  ExecutorService background() {
    return background;
  }

  /**
   * Returns an executor that completes futures: the background pool, and the completing thread
   * itself once the grid is closing, so that no future is left without an end.
   */
  Executor completions() {
    return step -> {
      try {
        background.execute(step);
      } catch (RejectedExecutionException e) {
        step.run();
      }
    };
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  void close() {
    timer.shutdownNow();
    background.shutdown();
    if (Thread.currentThread() instanceof Own own && own.owner() == this) {
      return; // A callback closes the grid: its thread ends when the callback does.
    }
    try {
      if (!background.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        background.shutdownNow();
        background.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
      timer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      background.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** A thread of this grid. */
  private final class Own extends Thread {
    Own(Runnable work, String name) {
      super(work, name);
      setDaemon(true);
    }

    GridThreads owner() {
      return GridThreads.this;
    }
  }
}
