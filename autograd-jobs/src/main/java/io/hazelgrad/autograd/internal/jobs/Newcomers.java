package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.Job;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.GridContext;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for workers that could train and do not yet. The sequencer has a snapshot taken then, and
 * the job restarted, so no step is repeated. Not safe for several threads.
 */
final class Newcomers {
  private static final Logger LOG = LoggerFactory.getLogger(Newcomers.class);
  private static final long LOOK_NANOS = 200_000_000L;

  /** Workers that join together are taken in together. */
  private static final long SETTLE_NANOS = 1_000_000_000L;

  /**
   * The time between two requests for a restart. Jet refuses while the job starts, and forgets the
   * request when its coordinator dies.
   */
  private static final long RETRY_NANOS = 3_000_000_000L;

  private final GridContext grid;
  private final TrainingTask task;
  private final List<String> trainers;
  private final long jobId;
  private long lookedNanos = System.nanoTime();
  private long foundNanos;
  private Set<String> found = Set.of();
  private boolean areThere;
  private long askedNanos = lookedNanos - RETRY_NANOS;

  Newcomers(GridContext grid, TrainingTask task, List<String> trainers, long jobId) {
    this.grid = grid;
    this.task = task;
    this.trainers = trainers;
    this.jobId = jobId;
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

  /** Has the job restarted, unless it asked for that a moment ago; does not wait. */
  void takeIn() {
    long now = System.nanoTime();
    if (now - askedNanos < RETRY_NANOS) {
      return;
    }
    askedNanos = now;
    try {
      grid.background().execute(this::restart);
    } catch (RejectedExecutionException e) {
      // This worker leaves, so Jet ends this start of the job anyway.
    }
  }

  private void restart() {
    try {
      Job job = grid.hazelcast().getJet().getJob(jobId);
      if (job != null) { // A new coordinator may not know it yet.
        job.restart();
      }
    } catch (RuntimeException e) { // It starts or ends, or its coordinator goes down.
      LOG.debug("Jet refused to restart job {}", jobId, e);
    }
  }
}
