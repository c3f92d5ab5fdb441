package io.hazelgrad.autograd.internal.jobs.steps;

import io.hazelgrad.autograd.parallel.ExchangeTimes;
import io.hazelgrad.grid.waits.TrainingSteps;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The parts of the steps of a trainer in time. "waiting" and "transfer" are the exchanges of
 * gradients and losses without the part that runs beside the backward pass. Not safe for several
 * threads.
 */
public final class StepTimes {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private static final long WINDOW_NANOS = 2_000_000_000L;

  private long began = System.nanoTime();
  private long steps;
  private long rows;
  private long data;
  private long forward;
  private long backward;
  private long update;
  private long waiting;
  private long transfer;
  private ExchangeTimes exchanged = ExchangeTimes.NONE;
  private long mark;
  private long inner;
  private long innerTotal;

  public void begin() {
    mark = System.nanoTime();
    innerTotal = 0;
  }

  public void dataBegins() {
    inner = System.nanoTime();
  }

  public void dataEnded() {
    long nanos = System.nanoTime() - inner;
    data += nanos;
    innerTotal += nanos;
  }

  public void forwardBegins() {
    inner = System.nanoTime();
  }

  public void forwardEnded() {
    long nanos = System.nanoTime() - inner;
    forward += nanos;
    innerTotal += nanos;
  }

  /** Notes the end of the backward pass and of the exchange of its gradients. */
  public void backwardEnded(ExchangeTimes all) {
    long waited = all.waitingNanos() - exchanged.waitingNanos();
    long transferred = all.transferNanos() - exchanged.transferNanos();
    exchanged = all;
    waiting += waited;
    transfer += transferred;
    backward += lap() - innerTotal - waited - transferred;
  }

  public void updateEnded() {
    update += lap();
  }

  /** Notes the end of the exchange of the losses, in which this worker waited for so long. */
  public void end(int rowsOfStep, long nanosWaited) {
    ExchangeTimes losses = ExchangeTimes.NONE.plus(lap(), nanosWaited);
    waiting += losses.waitingNanos();
    transfer += losses.transferNanos();
    steps++;
    rows += rowsOfStep;
  }

  private long lap() {
    long now = System.nanoTime();
    long nanos = now - mark;
    mark = now;
    return nanos;
  }

  public double rowsPerSecond() {
    return rows * NANOS_PER_SECOND / Math.max(1, System.nanoTime() - began);
  }

  /** Returns the mean of each part of a step in milliseconds. */
  public Map<String, Double> milliseconds() {
    Map<String, Double> all = new LinkedHashMap<>();
    double divisor = Math.max(1, steps) * NANOS_PER_MILLI;
    all.put("data", data / divisor);
    all.put("forward", forward / divisor);
    all.put("backward", backward / divisor);
    all.put("update", update / divisor);
    all.put(TrainingSteps.WAITING, waiting / divisor);
    all.put(TrainingSteps.TRANSFER, transfer / divisor);
    return all;
  }

  /** Begins to measure anew if it has measured for two seconds. */
  public void resetIfOld() {
    if (System.nanoTime() - began < WINDOW_NANOS) {
      return;
    }
    began = System.nanoTime();
    steps = 0;
    rows = 0;
    data = 0;
    forward = 0;
    backward = 0;
    update = 0;
    waiting = 0;
    transfer = 0;
  }
}
