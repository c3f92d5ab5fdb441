package io.hazelgrad.tests.chaos;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when this JVM as a whole did not run, since it was frozen or the machine was busy: no
 * wait can end meanwhile.
 */
final class Pulse {
  private static final long BEAT = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long STALL = TimeUnit.MILLISECONDS.toNanos(500);

  private final AtomicLong stalledNanos = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();

  Pulse() {
    Thread thread = new Thread(this::beat, "chaos-pulse");
    thread.setDaemon(true);
    thread.start();
  }

  private void beat() {
    long last = System.nanoTime();
    while (true) {
      LockSupport.parkNanos(BEAT);
      long now = System.nanoTime();
      if (now - last > STALL) {
        stalledNanos.addAndGet(now - last);
        longestNanos.accumulateAndGet(now - last, Math::max);
      }
      last = now;
    }
  }

  /** Returns how long it did not run at most, in nanoseconds. */
  long longestStall() {
    return longestNanos.get();
  }

  /** Returns the time that has passed for this JVM, in nanoseconds from some beginning. */
  long nanoTime() {
    return System.nanoTime() - stalledNanos.get();
  }
}
