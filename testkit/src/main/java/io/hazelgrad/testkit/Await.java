package io.hazelgrad.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions, with a deadline. */
public final class Await {
  private static final long PAUSE_NANOS = 5_000_000;

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
   * Polls a description of what is missing, until nothing is.
   *
   * @param missing returns what is still missing, or the empty string
   * @throws AssertionError with the last description if something is missing after the deadline
   */
  public static void until(Duration deadline, Supplier<String> missing) {
    long start = System.nanoTime();
    String last = missing.get();
    while (!last.isEmpty()) {
      if (System.nanoTime() - start > deadline.toNanos()) {
        throw new AssertionError("not within " + deadline.toMillis() + " ms: " + last);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
      last = missing.get();
    }
  }
}
