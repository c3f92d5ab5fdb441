package io.hazelgrad.autograd.internal.jobs;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The parts of the steps of a trainer in time. Gradients are exchanged beside the backward pass, so
 * "backward" contains their exchange; "exchange" is the last one, of the losses. Not safe for
 * several threads.
 */
final class StepTimes {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private long began = System.nanoTime();
  private long steps;
  private long rows;
  private long data;
  private long forward;
  private long backward;
  private long update;
  private long exchange;
  private long mark;
  private long inner;
  private long innerTotal;

  void begin() {
    mark = System.nanoTime();
    innerTotal = 0;
  }

  void dataBegins() {
    inner = System.nanoTime();
  }

  void dataEnded() {
    long nanos = System.nanoTime() - inner;
    data += nanos;
    innerTotal += nanos;
  }

  void forwardBegins() {
    inner = System.nanoTime();
  }

  void forwardEnded() {
    long nanos = System.nanoTime() - inner;
    forward += nanos;
    innerTotal += nanos;
  }

  void backwardEnded() {
    backward += lap() - innerTotal;
  }

  void updateEnded() {
    update += lap();
  }

  void end(int rowsOfStep) {
    exchange += lap();
    steps++;
    rows += rowsOfStep;
  }

  private long lap() {
    long now = System.nanoTime();
    long nanos = now - mark;
    mark = now;
    return nanos;
  }

  double rowsPerSecond() {
    return rows * NANOS_PER_SECOND / Math.max(1, System.nanoTime() - began);
  }

  /** Returns the mean of each part of a step in milliseconds. */
  Map<String, Double> milliseconds() {
    Map<String, Double> all = new LinkedHashMap<>();
    double divisor = Math.max(1, steps) * NANOS_PER_MILLI;
    all.put("data", data / divisor);
    all.put("forward", forward / divisor);
    all.put("backward", backward / divisor);
    all.put("update", update / divisor);
    all.put("exchange", exchange / divisor);
    return all;
  }

  /** Begins to measure anew. */
  void reset() {
    began = System.nanoTime();
    steps = 0;
    rows = 0;
    data = 0;
    forward = 0;
    backward = 0;
    update = 0;
    exchange = 0;
  }
}
