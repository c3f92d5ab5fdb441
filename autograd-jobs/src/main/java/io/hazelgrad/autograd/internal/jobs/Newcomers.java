package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.Job;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.GridContext;
import java.util.List;
import java.util.Set;

/**
 * Looks for workers that could train and do not yet. The sequencer has a snapshot taken then, and
 * the job restarted, so no step is repeated. Not safe for several threads.
 */
final class Newcomers {
  private static final long LOOK_NANOS = 200_000_000L;

  /** Workers that join together are taken in together. */
  private static final long SETTLE_NANOS = 1_000_000_000L;

  private final GridContext grid;
  private final TrainingTask task;
  private final List<String> trainers;
  private final JobRequest restart;
  private long lookedNanos = System.nanoTime();
  private long foundNanos;
  private Set<String> found = Set.of();
  private boolean areThere;

  Newcomers(GridContext grid, TrainingTask task, List<String> trainers, long jobId) {
    this.grid = grid;
    this.task = task;
    this.trainers = trainers;
    this.restart = new JobRequest(grid, jobId, Job::restart);
  }

  /** Returns whether there are workers to take in. */
  boolean areThere() {
    return areThere;
  }

  /** Looks, unless it did so a moment ago. */
  void look() {
    long now = System.nanoTime();
    if (areThere || now - lookedNanos < LOOK_NANOS) {
      return;
    }
    lookedNanos = now;
    Set<String> chosen;
    try {
      chosen =
          Set.copyOf(TrainerChoice.of(grid, task.options(), member -> true).trainers().values());
    } catch (GridException e) {
      return; // The directory does not answer now; ask again later.
    }
    if (trainers.containsAll(chosen)) {
      found = Set.of();
    } else if (!chosen.equals(found)) {
      found = chosen;
      foundNanos = now;
    } else if (now - foundNanos > SETTLE_NANOS) {
      areThere = true;
    }
  }

  /** Has the job restarted. */
  void takeIn() {
    restart.ask();
  }
}
