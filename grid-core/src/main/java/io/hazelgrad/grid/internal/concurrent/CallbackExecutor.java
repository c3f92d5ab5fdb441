package io.hazelgrad.grid.internal.concurrent;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Completes the futures of asynchronous calls, and so runs the users' callbacks, on a few threads
 * of the background pool. A callback may block: while it waits inside the grid another thread runs,
 * and if nothing moves for a moment a thread is added. Each thread calls the next one if there is
 * more to do, because waking a thread takes longer than most steps. Once the background pool is
 * closed, the thread that brings a step runs it, so every future ends. Threads: safe.
 */
public final class CallbackExecutor implements Executor {
  private static final long STALL_MILLIS = 20;
  private static final int PARALLELISM = Math.max(2, Runtime.getRuntime().availableProcessors());

  private final ExecutorService threads;
  private final ScheduledExecutorService timer;
  private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong done = new AtomicLong();
  private final AtomicBoolean watched = new AtomicBoolean();

  /** True from the call of a thread until it looks for steps. */
  private volatile boolean coming;

  private final Permit permit =
      new Permit() {
        @Override
        public void giveUp() {
          running.decrementAndGet();
          start();
        }

        @Override
        public void takeBack() {
          running.incrementAndGet(); // Perhaps more than usual, until one of them has no work.
        }
      };

  public CallbackExecutor(ExecutorService threads, ScheduledExecutorService timer) {
    this.threads = threads;
    this.timer = timer;
  }

  @Override
  public void execute(Runnable step) {
    steps.add(step);
    start();
  }

  /** Lets one more thread run if there is work and not enough threads. */
  private void start() {
    while (!coming && !steps.isEmpty()) {
      int now = running.get();
      if (now >= PARALLELISM) {
        watch();
        return;
      }
      if (running.compareAndSet(now, now + 1)) {
        launch();
        return;
      }
    }
  }

  private void launch() {
    coming = true;
    try {
      threads.execute(this::run);
    } catch (RejectedExecutionException e) {
      run();
    } catch (OutOfMemoryError e) { // No thread can be made now; perhaps in a moment.
      coming = false;
      running.decrementAndGet();
      watch();
    }
  }

  private void run() {
    Permit before = Permit.hold(permit);
    coming = false;
    try {
      Runnable step = steps.poll();
      start();
      while (step != null) {
        step.run();
        done.lazySet(done.get() + 1); // Only to see that it moves.
        step = steps.poll();
      }
    } finally {
      var unused = Permit.hold(before);
      running.decrementAndGet();
      start(); // For a step that came since, or for those behind one that threw.
    }
  }

  /** Looks again in a moment whether the threads that should run do so. */
  private void watch() {
    if (watched.get() || !watched.compareAndSet(false, true)) {
      return;
    }
    long seen = done.get();
    try {
      var unused = timer.schedule(() -> look(seen), STALL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      watched.set(false); // Closing; the threads are interrupted soon.
    }
  }

  private void look(long seen) {
    watched.set(false);
    if (!steps.isEmpty()) {
      if (done.get() == seen) {
        running.incrementAndGet();
        launch();
      }
      watch();
    }
  }
}
