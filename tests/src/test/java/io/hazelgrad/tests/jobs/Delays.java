package io.hazelgrad.tests.jobs;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Random delays in all that a training does, so that its parts meet in ever other orders. */
final class Delays {
  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private Delays() {}

  /** Takes up to 3 ms. */
  static void some() {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MOST_NANOS));
  }
}
