package io.hazelgrad.grid.internal.concurrent;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides whether a thread that waits for the reply of a blocking call spins before it sleeps.
 * Waking it takes longer than the rest of a short call, since a virtual processor may be asleep.
 *
 * <p>Threads spin only while calls have been short lately, at most half as many as there are
 * processors, and each at most {@link #MOST_NANOS}; they yield to threads that have work. So long
 * waits, and waits beside many others, cost no processor time. Threads: safe.
 */
public final class SpinBudget {
  static final long MOST_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

  /** The limit of a wait in the average: one odd call in a thousand shall not change much. */
  private static final long MOST_COUNTED = 2 * MOST_NANOS;

  /** The last wait makes 1/8 of the average. */
  private static final long WEIGHT = 8;

  private final int limit;
  private final AtomicInteger spinning = new AtomicInteger();

  /** The smoothed length of the last waits; an update that is lost does no harm. */
  private volatile long average = MOST_NANOS;

  public SpinBudget(int processors) {
    this.limit = processors / 2;
  }

  /** Returns whether the thread may spin for a moment; {@link #end} must follow then. */
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
