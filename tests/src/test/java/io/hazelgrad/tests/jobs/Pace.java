package io.hazelgrad.tests.jobs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The pace at which the programs of these tests compute. A slow training does not end by itself.
 */
final class Pace {
  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  static volatile boolean slow;

  private Pace() {}

  /** Takes the time of a loss. */
  static void keep() {
    if (slow) {
      LockSupport.parkNanos(NANOS);
    }
  }
}
