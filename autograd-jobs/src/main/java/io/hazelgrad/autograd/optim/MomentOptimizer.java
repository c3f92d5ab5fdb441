package io.hazelgrad.autograd.optim;

/**
 * An optimizer with averages of gradients and of their sizes: Adam and its relatives. This
 * interface has the options that they share.
 *
 * @param <T> the optimizer itself
 */
public sealed interface MomentOptimizer<T extends MomentOptimizer<T>> extends Optimizer
    permits Adam, AdamW, Adamax, NAdam, RAdam {
  /** Returns the part of the average of gradients that a step keeps. */
  double beta1();

  /** Returns how much of the average of sizes a step keeps. */
  double beta2();

  /** Returns what is added to the divisor of a step. */
  double epsilon();

  /** Returns how strongly values are pulled to zero. */
  double weightDecay();

  /** Returns whether a step goes up the gradient in place of down. */
  boolean maximize();

  /** Returns the same with other values of the shared options. */
  T with(
      double learningRate,
      double beta1,
      double beta2,
      double epsilon,
      double weightDecay,
      boolean maximize);

  /** Returns the same with another learning rate. */
  default T withLearningRate(double rate) {
    return with(rate, beta1(), beta2(), epsilon(), weightDecay(), maximize());
  }

  /** Returns the same with other averages. */
  default T withBetas(double newBeta1, double newBeta2) {
    return with(learningRate(), newBeta1, newBeta2, epsilon(), weightDecay(), maximize());
  }

  /** Returns the same with another epsilon. */
  default T withEpsilon(double newEpsilon) {
    return with(learningRate(), beta1(), beta2(), newEpsilon, weightDecay(), maximize());
  }

  /** Returns the same with another weight decay. */
  default T withWeightDecay(double decay) {
    return with(learningRate(), beta1(), beta2(), epsilon(), decay, maximize());
  }

  /** Returns the same with or without going up. */
  default T withMaximize(boolean newMaximize) {
    return with(learningRate(), beta1(), beta2(), epsilon(), weightDecay(), newMaximize);
  }
}
