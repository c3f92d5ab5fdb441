package io.hazelgrad.grid.internal.concurrent;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of blocking calls on the thread that waits for them, which saves the way over
 * another thread. After {@link #close} steps go to the usual threads.
 */
public final class CallerThreadExecutor implements Executor, AutoCloseable {
  /** The executor of the call that this thread begins next. */
  private static final ThreadLocal<@Nullable CallerThreadExecutor> CURRENT = new ThreadLocal<>();

  private final Executor later;
  private final SpinBudget budget;
  private final Thread owner = Thread.currentThread();
  private final Queue<Runnable> steps = new ArrayDeque<>(2);
  private boolean left;

  public CallerThreadExecutor(Executor later, SpinBudget budget) {
    this.later = later;
    this.budget = budget;
  }

  /**
   * Returns the executor of a call that this thread begins: once this one, if it replaces {@code
   * usual}. So calls that are made while values are written do not come here.
   */
  public static Executor takeOr(Executor usual) {
    CallerThreadExecutor next = CURRENT.get();
    if (next == null || next.later != usual) {
      return usual;
    }
    CURRENT.remove();
    return next;
  }

  /** Begins something; the steps of the first call that it makes come here. */
  public <T> T begin(Supplier<T> work) {
    CallerThreadExecutor outer = CURRENT.get();
    CURRENT.set(this);
    try {
      return work.get();
    } finally {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    }
  }

  @Override
  public void execute(Runnable step) {
    synchronized (this) {
      if (!left) {
        steps.add(step);
        wake();
        return;
      }
    }
    later.execute(step);
  }

  private void wake() {
    if (Thread.currentThread() != owner) { // Else its next park would return at once.
      LockSupport.unpark(owner);
    }
  }

  public void runUntilDone(CompletableFuture<?> future) throws InterruptedException {
    if (!future.isDone()) { // Others may end it as well.
      var unused = future.whenComplete((value, failure) -> wake());
    }
    while (!future.isDone()) {
      Runnable step = next();
      if (step == null) {
        step = awaitStep(future);
      }
      if (step != null) {
        step.run();
      }
    }
  }

  /** Waits for a step; returns null if the future is done without one. */
  @SuppressWarnings("ThreadPriorityCheck") // Yields for speed only; it parks soon.
  private @Nullable Runnable awaitStep(CompletableFuture<?> future) throws InterruptedException {
    long start = System.nanoTime();
    boolean spins = budget.begin();
    try {
      while (true) {
        Runnable step = next();
        if (step != null || future.isDone()) {
          return step;
        } else if (Thread.interrupted()) {
          throw new InterruptedException();
        } else if (spins && System.nanoTime() - start < SpinBudget.MOST_NANOS) {
          Thread.yield();
        } else {
          LockSupport.park(this);
        }
      }
    } finally {
      if (spins) {
        budget.end();
      }
      budget.waited(System.nanoTime() - start);
    }
  }

  private synchronized @Nullable Runnable next() {
    return steps.poll();
  }

  @Override
  public void close() {
    synchronized (this) {
      left = true;
    }
    steps.forEach(later::execute); // Nobody adds to them any more.
  }
}
