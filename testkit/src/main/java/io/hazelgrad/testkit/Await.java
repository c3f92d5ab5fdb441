package io.hazelgrad.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions, with a deadline. */
public final class Await {
  private static final long SHORTEST_PAUSE_NANOS = 5_000_000;
  private static final long LONGEST_PAUSE_NANOS = 50_000_000;

  private Await() {}

  /** Polls a condition; the message puts it in words, such as "worker B is gone". */
  public static void until(String message, Duration deadline, BooleanSupplier condition) {
    until(deadline, () -> condition.getAsBoolean() ? "" : message);
  }

  /**
   * Polls a description of what is missing, until it is empty. The pauses grow with the time that
   * has passed, from 5 ms to 50 ms, because a description may need calls to busy workers.
   *
   * @throws AssertionError with the last description after the deadline
   */
  public static void until(Duration deadline, Supplier<String> missing) {
    long start = System.nanoTime();
    String last = missing.get();
    while (!last.isEmpty()) {
      long passed = System.nanoTime() - start;
      if (passed > deadline.toNanos()) {
        throw new AssertionError("not within " + deadline.toMillis() + " ms: " + last);
      }
      LockSupport.parkNanos(
          Math.min(LONGEST_PAUSE_NANOS, Math.max(SHORTEST_PAUSE_NANOS, passed / 10)));
      last = missing.get();
    }
  }
}
