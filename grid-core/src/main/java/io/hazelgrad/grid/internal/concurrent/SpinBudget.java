package io.hazelgrad.grid.internal.concurrent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides whether a thread that waits for the reply of a blocking call spins for a moment before it
 * sleeps. To be woken takes longer than the rest of a short call: on a virtual machine the
 * processor itself may have gone to sleep meanwhile.
 *
 * <p>Threads look only while calls have been short lately, at most half as many as there are
 * processors, and each not longer than {@link #MOST_NANOS}; they yield to whoever has work. So what
 * waits for long, or waits beside many others, costs no processor time.
 *
 * <p>Threads: safe.
 */
public final class SpinBudget {
  static final long MOST_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

  /** One odd call in a thousand shall not change much. */
  private static final long MOST_COUNTED = 2 * MOST_NANOS;

  /** The share of the last wait in the average is one part of so many. */
  private static final long WEIGHT = 8;

  private final int limit;
  private final AtomicInteger spinning = new AtomicInteger();

  /** The smoothed length of the last waits; an update that is lost does no harm. */
  private volatile long average = MOST_NANOS;

  public SpinBudget(int processors) {
    this.limit = processors / 2;
  }

  /** Asks for leave to look for a moment; if it is given, {@link #end} must follow. */
  boolean begin() {
    if (average > MOST_NANOS) {
      return false;
    }
    if (spinning.incrementAndGet() <= limit) {
      return true;
    }
    spinning.decrementAndGet();
    return false;
  }

  void end() {
    spinning.decrementAndGet();
  }

  /** Learns how long a wait took, whether or not the thread slept. */
  void waited(long nanos) {
    long before = average;
    average = before + (Math.min(nanos, MOST_COUNTED) - before) / WEIGHT;
  }
}
