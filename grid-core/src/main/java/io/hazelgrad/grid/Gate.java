package io.hazelgrad.grid;

import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many user functions run at once. A thread that waits for something of the grid gives
 * its permit up meanwhile ({@link #waiting}), so that nested blocking calls cannot use up all
 * permits and wait for each other.
 */
final class Gate {
  private static final ThreadLocal<@Nullable Gate> HELD = new ThreadLocal<>();

  private final Semaphore permits;

  Gate(int running) {
    permits = new Semaphore(running);
  }

  /** Takes a permit for this thread; false if none came within the time. */
  boolean enter(long nanos) throws InterruptedException {
    if (nanos == Long.MAX_VALUE) {
      permits.acquire();
    } else if (!permits.tryAcquire() && !permits.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
      return false;
    }
    HELD.set(this);
    return true;
  }

  /** Gives this thread's permit back. */
  void leave() {
    HELD.remove();
    permits.release();
  }

  /** Waits, without holding a permit meanwhile. */
  static <T> T waiting(Callable<T> wait) throws Exception {
    Gate held = HELD.get();
    if (held == null) {
      return wait.call();
    }
    held.leave();
    try {
      return wait.call();
    } finally {
      // The wait is over and what follows is user code again; this cannot be refused any more.
      held.permits.acquireUninterruptibly();
      HELD.set(held);
    }
  }
}
