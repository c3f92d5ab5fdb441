package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.jobs.TrainingOptions;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The agreement on when a snapshot is taken: the sequencer says after which step, and the first
 * trainer, on the same member, saves its state then. A source's position comes to the sequencer
 * among its rows, so the position, the rows that are left over and the step belong together.
 * Threads: safe.
 */
final class SnapshotRequests {
  private static final double MOST_OF_TIME = 0.03;

  private final long everyNanos;
  private final LongSupplier nanoTime;
  private long triedNanos;
  private long costNanos;
  private long putOffNanos;
  private boolean sourceAsked;
  private @Nullable Request request;
  private long doneStep;

  /**
   * A wish for a snapshot.
   *
   * @param step the number of steps that are made when the state is saved
   * @param position where the source goes on then; null for a data set
   */
  record Request(long step, @Nullable StreamPosition position) {}

  SnapshotRequests(TrainingOptions options, LongSupplier nanoTime) {
    this.everyNanos = options.snapshotEvery().toNanos();
    this.nanoTime = nanoTime;
    this.triedNanos = nanoTime.getAsLong();
  }

  /** The job begins at a step; what comes before it is in a snapshot, or there is nothing. */
  synchronized void beginAt(long step) {
    doneStep = step;
  }

  /** Returns whether the time for the next snapshot has come; it may cost 3 % of the time. */
  synchronized boolean isDue() {
    long period = Math.max(Math.max(everyNanos, putOffNanos), (long) (costNanos / MOST_OF_TIME));
    return request == null && !sourceAsked && nanoTime.getAsLong() - triedNanos >= period;
  }

  /** Returns whether a snapshot is under way. */
  synchronized boolean isUnderWay() {
    return request != null || sourceAsked;
  }

  /** Returns the number of steps in the last snapshot. */
  synchronized long doneStep() {
    return doneStep;
  }

  /** Asks the source for its position. */
  synchronized void askSource() {
    sourceAsked = true;
  }

  synchronized boolean isSourceAsked() {
    return sourceAsked;
  }

  /** Asks the trainer to save its state after so many steps; it has not made more yet. */
  synchronized void ask(long step, @Nullable StreamPosition position) {
    sourceAsked = false;
    request = new Request(step, position);
  }

  /** Returns the request for the state after a number of steps, or null. */
  synchronized @Nullable Request after(long step) {
    Request current = request;
    return current != null && current.step == step ? current : null;
  }

  /** The trainer has saved its state. */
  synchronized void done(Request answered, long nanos) {
    request = null;
    doneStep = answered.step;
    costNanos = nanos;
    putOffNanos = 0;
    triedNanos = nanoTime.getAsLong();
  }

  /**
   * The trainer could not save its state, which took some time. The next try comes after as much
   * time, and after twice as long as before if that was in vain, too.
   */
  synchronized void putOff(long nanos) {
    request = null;
    putOffNanos = Math.max(nanos, 2 * putOffNanos);
    triedNanos = nanoTime.getAsLong();
  }

  /** Returns whether the last request was put off. */
  synchronized boolean isPutOff() {
    return putOffNanos > 0;
  }
}
