package io.hazelgrad.autograd.internal.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What the processors of one job on one member tell each other. It outlives a restart of the job,
 * so that a trainer that was not lost knows how far the training had been. Threads: safe.
 */
final class LocalRun {
  private static final double MOST_OF_TIME = 0.03;

  /** A snapshot is never put off longer than this: a suspended job would wait for it. */
  private static final long LONGEST_NANOS = 30_000_000_000L;

  private long execution;
  private long made;
  private boolean stopped;
  private long farthest = -1;
  private long farthestNanos;
  private long snapshotNanos;
  private int vain;
  private final List<CompletableFuture<TrainingState>> questions = new ArrayList<>();

  /** Forgets the steps of an earlier execution of the job. Both processors of a member call it. */
  synchronized void begin(long executionId) {
    if (execution != executionId) {
      execution = executionId;
      made = -1;
      stopped = false;
    }
  }

  /** Counts starts without a step in between; returns how many there were. */
  synchronized int startsWithoutStep() {
    return ++vain;
  }

  /** The trainer here begins at a step. */
  synchronized void began(long step) {
    made = step;
    notifyAll();
  }

  /** The trainer here has made all steps before this one. */
  synchronized void made(long step) {
    made = step;
    vain = 0;
    farthest = Math.max(farthest, step);
    farthestNanos = System.nanoTime();
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

  /** Returns the greatest number of steps that were ever made, -1 if it is not known here. */
  synchronized long farthest() {
    return farthest;
  }

  /** Returns the milliseconds since the last step, 0 if there was none. */
  synchronized double millisSinceStep() {
    return farthest < 0 ? 0 : (System.nanoTime() - farthestNanos) / 1e6;
  }

  /**
   * Waits until the trainer has begun and is at most {@code ahead} steps behind a step.
   *
   * @return false if that takes longer, or the trainer has stopped
   */
  synchronized boolean awaitStep(long step, int ahead, long millis) {
    long deadline = System.nanoTime() + millis * 1_000_000;
    while (!stopped && step - made > ahead) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
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

  /** The trainer here has spent this time on a snapshot. */
  synchronized void snapshotTook(long nanos) {
    snapshotNanos = nanos;
  }

  /** Returns the time that has to lie between two snapshots. */
  synchronized long nanosBetweenSnapshots() {
    return Math.min((long) (snapshotNanos / MOST_OF_TIME), LONGEST_NANOS);
  }

  /** Asks for the state after the current step. */
  synchronized CompletableFuture<TrainingState> ask() {
    CompletableFuture<TrainingState> question = new CompletableFuture<>();
    questions.add(question);
    return question;
  }

  /** Returns whether somebody has asked for the state. */
  synchronized boolean isAsked() {
    return !questions.isEmpty();
  }

  /** Answers all who have asked. */
  void answer(TrainingState state) {
    List<CompletableFuture<TrainingState>> asked;
    synchronized (this) {
      asked = List.copyOf(questions);
      questions.clear();
    }
    asked.forEach(each -> each.complete(state));
  }
}
