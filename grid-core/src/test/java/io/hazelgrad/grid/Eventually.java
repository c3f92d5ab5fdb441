package io.hazelgrad.grid;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, never for a time. */
public final class Eventually {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private Eventually() {}

  /** Waits until the condition holds, for half a minute at most. */
  public static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > DEADLINE.toNanos()) {
        throw new AssertionError("not within " + DEADLINE + ": " + what);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }
}
