package io.hazelgrad.autograd.optim;

import java.util.Arrays;

/**
 * A learning-rate schedule: a function of the optimizer's own rate and of the number of times that
 * the schedule was advanced. The application advances it once per step or once per epoch. It stays
 * in the process that makes the steps and does not travel, so it can be a lambda:
 *
 * <pre>{@code
 * Schedule warmUp = (base, step) -> base * Math.min(1, (step + 1) / 100.0);
 * }</pre>
 *
 * <p>The methods of this interface return the schedules of {@code torch.optim.lr_scheduler} in
 * closed form. The same arguments must give the same rate, or training cannot be resumed.
 */
@FunctionalInterface
public interface Schedule {
  /**
   * Returns the learning rate.
   *
   * @param base the optimizer's own learning rate
   * @param step how often the schedule was advanced, from 0
   */
  double learningRate(double base, long step);

  /** Returns the schedule of a constant rate. */
  static Schedule constant() {
    return (base, step) -> base;
  }

  /** Multiplies by {@code gamma} every {@code size} steps: torch's StepLR. */
  static Schedule step(long size, double gamma) {
    NumberChecks.require(size >= 1, "size", (double) size, "at least 1");
    return (base, step) -> base * Math.pow(gamma, (double) Math.floorDiv(step, size));
  }

  /** Multiplies by {@code gamma} at each of these steps: torch's MultiStepLR. */
  static Schedule multiStep(double gamma, long... milestones) {
    long[] copy = milestones.clone();
    return (base, step) ->
        base
            * Math.pow(
                gamma, (double) Arrays.stream(copy).filter(milestone -> milestone <= step).count());
  }

  /** Multiplies by {@code gamma} at every step: torch's ExponentialLR. */
  static Schedule exponential(double gamma) {
    return (base, step) -> base * Math.pow(gamma, (double) step);
  }

  /**
   * Goes from the base down to {@code least} in half a cosine of {@code length} steps, then up
   * again: torch's CosineAnnealingLR, T_max being the length and eta_min the least.
   */
  static Schedule cosineAnnealing(long length, double least) {
    NumberChecks.require(length >= 1, "length", (double) length, "at least 1");
    return (base, step) ->
        least + (base - least) * (1 + Math.cos(Math.PI * (double) step / (double) length)) / 2;
  }

  /**
   * Goes in a line from {@code startFactor} times the base to {@code endFactor} times the base, in
   * {@code length} steps: torch's LinearLR, which by default goes from 1/3 to 1 in 5 steps.
   */
  static Schedule linear(double startFactor, double endFactor, long length) {
    NumberChecks.upToOne("startFactor", startFactor);
    NumberChecks.upToOne("endFactor", endFactor);
    NumberChecks.require(length >= 1, "length", (double) length, "at least 1");
    return (base, step) ->
        base
            * (startFactor
                + (endFactor - startFactor) * (double) Math.min(step, length) / (double) length);
  }
}
