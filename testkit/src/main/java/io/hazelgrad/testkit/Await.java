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

  /**
   * Polls a condition until it holds.
   *
   * @param message the condition in words, such as "worker B is gone"
   * @throws AssertionError if it does not hold within the deadline
   */
  public static void until(String message, Duration deadline, BooleanSupplier condition) {
    until(deadline, () -> condition.getAsBoolean() ? "" : message);
  }

  /**
   * Polls a description of what is missing, until nothing is. The pauses grow with the time that
   * has passed, from 5 ms to 50 ms, because a description may need calls to busy workers.
   *
   * @param missing returns what is still missing, or the empty string
   * @throws AssertionError with the last description if something is missing after the deadline
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
