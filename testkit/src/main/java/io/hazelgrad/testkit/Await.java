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
   * Looks at a condition again and again until it holds.
   *
   * @param message what is waited for, such as "worker B is gone"
   * @throws AssertionError if it does not hold within the deadline
   */
  public static void until(String message, Duration deadline, BooleanSupplier condition) {
    until(deadline, () -> condition.getAsBoolean() ? "" : message);
  }

  /**
   * Asks again and again what is missing, until nothing is. The pauses grow with the time that has
   * passed, from 5 ms to 50 ms: an answer may need calls to all workers, which are busy meanwhile.
   *
   * @param missing says what is still missing; the empty string for nothing
   * @throws AssertionError with the last answer if something is missing after the deadline
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
