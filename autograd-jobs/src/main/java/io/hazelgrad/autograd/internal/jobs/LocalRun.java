package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.internal.jobs.steps.StepHistory;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state that the processors of one job on one member share. It outlives a restart of the job,
 * so that a trainer that was not lost knows how far the training had been. Threads: safe.
 */
final class LocalRun {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final TrainingOptions options;
  private final LongSupplier nanoTime;
  private final StepHistory history = new StepHistory(System::nanoTime);
  private SnapshotRequests snapshots;
  private @Nullable FutureTask<Dataset<?>> dataset;
  private long execution;
  private long made;
  private boolean stopped;
  private long heldUntilNanos;
  private boolean isHeld;
  private boolean isSettled;
  private int startsInVain;

  LocalRun(TrainingOptions options) {
    this(options, System::nanoTime);
  }

  /** Creates one whose snapshots are due by a clock of the caller. */
  LocalRun(TrainingOptions options, LongSupplier nanoTime) {
    this.options = options;
    this.nanoTime = nanoTime;
    this.snapshots = new SnapshotRequests(options, nanoTime);
  }

  /** Forgets the steps of an earlier start of the job. All processors of a member call it. */
  synchronized void begin(long executionId) {
    if (execution != executionId) {
      execution = executionId;
      stopped = false;
      isHeld = false;
      history.begin();
      snapshots = new SnapshotRequests(options, nanoTime);
    }
  }

  /** Opens the data set, once for all processors of this member. */
  Dataset<?> open(DatasetProgram<?, ?> program) {
    FutureTask<Dataset<?>> opening = opening(program);
    opening.run(); // Does nothing if another thread does it.
    try {
      return opening.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("the data set cannot be opened", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GridException(Status.CLOSED, "the job ended while its data set was opened", e);
    }
  }

  private synchronized FutureTask<Dataset<?>> opening(DatasetProgram<?, ?> program) {
    if (dataset == null) {
      dataset = new FutureTask<>(program::data);
    }
    return dataset;
  }

  /**
   * Returns whether a trainer here could begin at once: there was one, or the data set is open. If
   * not, begins to open it, and does not wait. A data set that could not be opened counts too,
   * since the job has to end with this failure.
   */
  boolean isReady(TrainingProgram<?, ?> program, Executor executor) {
    if (hasSteps() || !(program instanceof DatasetProgram<?, ?> withData)) {
      return true;
    }
    FutureTask<Dataset<?>> opening = opening(withData);
    if (!opening.isDone()) {
      executor.execute(opening);
    }
    return opening.isDone();
  }

  private synchronized boolean hasSteps() {
    return history.last() >= 0;
  }

  /** Forgets the data set, at the end of the job or before a restart. */
  synchronized void closeData() {
    dataset = null;
  }

  synchronized SnapshotRequests snapshots() {
    return snapshots;
  }

  /** Counts starts without a step in between; returns how many there were. */
  synchronized int startsWithoutStep() {
    return ++startsInVain;
  }

  /** The sequencer here deals from this step on; the trainer begins when the step is there. */
  synchronized void dealsFrom(long step) {
    made = step;
    snapshots.beginAt(step);
  }

  /** The trainer here has made all steps before this one. */
  synchronized void made(long step) {
    made = step;
    startsInVain = 0;
    history.made(step);
    notifyAll();
  }

  /** The trainer here makes no more steps. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /** Returns whether the trainer here needs no more rows. */
  synchronized boolean isOver() {
    return stopped || (options.steps() > 0 && made >= options.steps());
  }

  /**
   * Lets the sequencer here deal nothing until the time is over, unless the job was suspended
   * meanwhile.
   */
  synchronized void hold(long millis) {
    isSettled = false;
    heldUntilNanos = nanoTime.getAsLong() + millis * NANOS_PER_MILLI;
    isHeld = true;
  }

  /** Holds, and waits until a snapshot has all steps; returns whether there is one. */
  synchronized boolean holdAndSettle(long millis) throws InterruptedException {
    hold(millis);
    for (long left = millis; left > 0 && !isSettled; left = millisUntil(heldUntilNanos)) {
      wait(left);
    }
    return isSettled;
  }

  private static long millisUntil(long nanos) {
    return (nanos - System.nanoTime()) / NANOS_PER_MILLI;
  }

  synchronized boolean isHeld() {
    return isHeld && heldUntilNanos - nanoTime.getAsLong() > 0;
  }

  /** The sequencer deals nothing, and the last snapshot has all steps. */
  synchronized void settled() {
    isSettled = true;
    notifyAll();
  }

  /**
   * Returns what is known here of the steps before this start of the job: how many were made (-1 if
   * unknown), the milliseconds since the last one, and those from a step to the last one.
   */
  synchronized double[] before(long step) {
    return new double[] {history.last(), history.millisSinceLast(), history.millisFrom(step)};
  }

  /**
   * Waits until the trainer is at most {@code ahead} steps behind a step.
   *
   * @return false if that takes longer, or the trainer has stopped
   */
  synchronized boolean awaitStep(long step, int ahead, long millis) {
    long deadline = System.nanoTime() + millis * NANOS_PER_MILLI;
    while (!stopped && step - made > ahead) {
      long left = millisUntil(deadline);
      if (left <= 0) {
        return false;
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return !stopped;
  }
}
