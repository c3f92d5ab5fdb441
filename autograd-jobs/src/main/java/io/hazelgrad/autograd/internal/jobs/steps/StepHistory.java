package io.hazelgrad.autograd.internal.jobs.steps;

import java.util.function.LongSupplier;

/**
 * The times at which a trainer made its last steps, through the starts of its job. Not safe for
 * several threads.
 */
public final class StepHistory {
  /** The number of steps whose times are kept. */
  static final int MOST = 16_384;

  private final LongSupplier nanoTime;
  private final long[] madeNanos = new long[MOST];
  private boolean isBegun;

  /** The first step since the last beginning, if {@link #isBegun}. */
  private long first;

  private long last = -1;

  public StepHistory(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The job starts anew: the next step may be an earlier one, and comes after a pause. */
  public void begin() {
    isBegun = false;
  }

  /** Notes the number of steps that are made now. */
  public void made(long step) {
    if (!isBegun) {
      isBegun = true;
      first = step;
    }
    last = step;
    madeNanos[(int) (step % MOST)] = nanoTime.getAsLong();
  }

  /** Returns the number of steps that were made, -1 if it is not known. */
  public long last() {
    return last;
  }

  /** Returns the milliseconds since the last step, 0 if there was none. */
  public double millisSinceLast() {
    return last < 0 ? 0 : (nanoTime.getAsLong() - madeNanos[(int) (last % MOST)]) / 1e6;
  }

  /**
   * Returns the milliseconds from a step to the last one, as far back as the times in the last
   * start of the job are known.
   */
  public double millisFrom(long step) {
    if (step >= last) {
      return 0;
    }
    long from = Math.max(step, Math.max(first, last - MOST + 1));
    return (madeNanos[(int) (last % MOST)] - madeNanos[(int) (from % MOST)]) / 1e6;
  }
}
