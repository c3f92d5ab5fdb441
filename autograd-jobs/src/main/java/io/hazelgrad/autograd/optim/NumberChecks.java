package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/** Checks the numbers of optimizers and schedules. */
final class NumberChecks {
  private NumberChecks() {}

  /** Requires a number of at least 0. */
  static void notNegative(String name, double value) {
    require(value >= 0 && Double.isFinite(value), name, value, "a number of at least 0");
  }

  /** Requires a number above 0. */
  static void positive(String name, double value) {
    require(value > 0 && Double.isFinite(value), name, value, "a number above 0");
  }

  /** Requires a number of at least 0 and below 1, as the rate at which an average forgets. */
  static void fraction(String name, double value) {
    require(value >= 0 && value < 1, name, value, "at least 0 and below 1");
  }

  /** Checks the options that Adam has in common with its relatives. */
  static void moments(
      double learningRate, double beta1, double beta2, double epsilon, double weightDecay) {
    notNegative("learningRate", learningRate);
    fraction("beta1", beta1);
    fraction("beta2", beta2);
    notNegative("epsilon", epsilon);
    notNegative("weightDecay", weightDecay);
  }

  /** Requires a number of at least 0 and at most 1. */
  static void upToOne(String name, double value) {
    require(value >= 0 && value <= 1, name, value, "at least 0 and at most 1");
  }

  static void require(boolean holds, String name, double value, String rule) {
    if (!holds) {
      throw new GridException(Status.BAD_ARGUMENT, name + "=" + value + ", but it must be " + rule);
    }
  }
}
