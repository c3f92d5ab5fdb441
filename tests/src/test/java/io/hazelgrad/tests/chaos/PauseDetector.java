package io.hazelgrad.tests.chaos;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Detector of pauses of this JVM, which happen when the process is frozen or the machine is busy.
 * No wait can end during a pause.
 */
final class PauseDetector {
  private static final long BEAT = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long STALL = TimeUnit.MILLISECONDS.toNanos(500);

  private final AtomicLong stalledNanos = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();

  PauseDetector() {
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
        HistoryLog.here().stalled(last, now);
      }
      last = now;
    }
  }

  /** Returns the longest pause in ns. */
  long longestStall() {
    return longestNanos.get();
  }

  /** Returns the time in ns that this JVM was running, from an arbitrary beginning. */
  long nanoTime() {
    return System.nanoTime() - stalledNanos.get();
  }
}
