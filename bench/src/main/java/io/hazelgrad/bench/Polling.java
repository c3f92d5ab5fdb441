package io.hazelgrad.bench;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls conditions that have no event. */
final class Polling {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(2);

  private Polling() {}

  static void until(String what, BooleanSupplier holds) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("not within " + LIMIT.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}
