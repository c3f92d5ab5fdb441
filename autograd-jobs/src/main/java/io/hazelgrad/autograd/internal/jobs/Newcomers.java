package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.jet.Job;
import com.hazelcast.partition.PartitionService;
import io.hazelgrad.autograd.internal.jobs.lifecycle.TrainerChoice;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.GridContext;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for workers that could train and do not yet. The sequencer has a snapshot taken then, and
 * the job restarted, so no step is repeated. The others go on until the worker is ready and all
 * partitions have their backups. Not safe for several threads.
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
  private final TrainingOptions options;
  private final List<String> trainers;
  private final long jobId;
  private final Readiness readiness;
  private long lookedNanos = System.nanoTime();
  private long foundNanos;
  private Set<String> found = Set.of();
  private boolean areThere;
  private CompletableFuture<Boolean> safe = CompletableFuture.completedFuture(false);
  private long askedNanos = lookedNanos - RETRY_NANOS;

  Newcomers(
      GridContext grid, TrainingOptions options, List<String> trainers, long jobId, byte[] task) {
    this.grid = grid;
    this.options = options;
    this.trainers = trainers;
    this.jobId = jobId;
    this.readiness = new Readiness(grid, jobId, task);
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
    try {
      Set<String> chosen = chosen(worker -> true);
      if (!chosen.equals(found)) {
        found = chosen;
        foundNanos = now;
      }
      Set<String> strangers = new HashSet<>(chosen);
      strangers.removeAll(trainers);
      Set<String> ready = readiness.lately(strangers);
      areThere =
          now - foundNanos > SETTLE_NANOS
              && !trainers.containsAll(
                  chosen(worker -> trainers.contains(worker) || ready.contains(worker)))
              && isSafe();
    } catch (GridException e) {
      LOG.debug("the directory does not answer now", e); // Ask again later.
    }
  }

  /**
   * Returns whether all partitions had their backups at the last question, and asks again. Without
   * backups Jet puts a restart off by two seconds, in which nobody trains.
   */
  private boolean isSafe() {
    boolean wasSafe = safe.getNow(false);
    if (safe.isDone()) {
      PartitionService partitions = grid.hazelcast().getPartitionService();
      try {
        safe =
            CompletableFuture.supplyAsync(partitions::isClusterSafe, grid.background())
                .exceptionally(failure -> false);
      } catch (RejectedExecutionException e) {
        return false; // This worker leaves.
      }
    }
    return wasSafe;
  }

  private Set<String> chosen(Predicate<String> isReady) {
    return Set.copyOf(TrainerChoice.of(grid, options, isReady, member -> true).trainers().values());
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
