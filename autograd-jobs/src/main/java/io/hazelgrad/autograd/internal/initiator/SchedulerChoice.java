package io.hazelgrad.autograd.internal.initiator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The choice between calls and jobs for the passes of one shape. It starts with calls. Trials run
 * passes by both in turn; jobs are chosen if a pass by a job takes at most a tenth longer. The
 * shortest durations are compared, because other work on the machine only makes a pass longer.
 * Threads: one at a time.
 */
final class SchedulerChoice {
  /** The passes by each of the two in a trial. */
  static final int SAMPLES = 10;

  /** The time that passes take before the first trial. */
  static final long BEFORE_FIRST_TRIAL = 1_000_000_000;

  /**
   * The next trial follows after this many times the duration of the first one. The factor doubles
   * with each trial, up to {@link #BETWEEN_TRIALS}: the JVM has not compiled Jet at first.
   */
  static final int AFTER_FIRST_TRIAL = 10;

  static final int BETWEEN_TRIALS = 100;

  /** A pass that takes less for each wave is not tried: ten times what a wave costs at least. */
  static final long LEAST_FOR_WAVE = 1_000_000;

  private final long least;
  private final List<Long> byCalls = new ArrayList<>();
  private final List<Long> byJobs = new ArrayList<>();
  private boolean jobs;
  private long untilTrial = BEFORE_FIRST_TRIAL;
  private int factor = AFTER_FIRST_TRIAL;

  SchedulerChoice(int waves) {
    this.least = LEAST_FOR_WAVE * (waves + 1);
  }

  boolean isTrial() {
    return untilTrial <= 0;
  }

  /** Returns whether the next pass runs by a job. */
  boolean next() {
    return isTrial() ? byJobs.size() < byCalls.size() : jobs;
  }

  /** Takes the duration of a pass; returns whether the choice changed. */
  boolean ended(boolean byJob, long nanos) {
    if (!isTrial()) {
      untilTrial -= nanos < least ? 0 : nanos;
      return false;
    }
    (byJob ? byJobs : byCalls).add(nanos);
    if (Math.min(byJobs.size(), byCalls.size()) < SAMPLES) {
      return false;
    }
    long shortest = Collections.min(byCalls);
    long time = factor * sum();
    factor = Math.min(2 * factor, BETWEEN_TRIALS);
    return choose(Collections.min(byJobs) - shortest <= shortest / 10, time);
  }

  /** Chooses calls after a failure by a job, for as long as before the first trial. */
  boolean failed(boolean byJob) {
    return byJob && choose(false, BEFORE_FIRST_TRIAL);
  }

  private long sum() {
    return byCalls.stream().mapToLong(Long::longValue).sum()
        + byJobs.stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public String toString() {
    return jobs ? "Jet jobs" : "calls";
  }

  private boolean choose(boolean choice, long time) {
    boolean changed = jobs != choice;
    jobs = choice;
    untilTrial = time;
    byCalls.clear();
    byJobs.clear();
    return changed;
  }
}
