package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Adaptive gradients (Duchi et al.); formulas and defaults of {@code torch.optim.Adagrad}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   s = s + g * g                                (s begins as initialAccumulator)
 *   value = value - learningRate / (1 + (t - 1) * learningRateDecay) * g / (sqrt(s) + epsilon)
 * </pre>
 *
 * @param learningRate the size of a step
 * @param learningRateDecay how much smaller each step makes the learning rate
 * @param weightDecay the factor with which a value is added to its gradient
 * @param initialAccumulator what the sum of squared gradients begins with
 * @param epsilon the addend of the divisor
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record Adagrad(
    double learningRate,
    double learningRateDecay,
    double weightDecay,
    double initialAccumulator,
    double epsilon,
    boolean maximize)
    implements Optimizer {
  /** Checks the numbers: BAD_ARGUMENT. */
  public Adagrad {
    NumberChecks.notNegative("learningRate", learningRate);
    NumberChecks.notNegative("learningRateDecay", learningRateDecay);
    NumberChecks.notNegative("weightDecay", weightDecay);
    NumberChecks.notNegative("initialAccumulator", initialAccumulator);
    NumberChecks.notNegative("epsilon", epsilon);
  }

  /** Returns the defaults: learningRate 0.01, epsilon 1e-10, the others 0 or false. */
  public static Adagrad defaults() {
    return new Adagrad(0.01, 0, 0, 0, 1e-10, false);
  }

  /** Returns the same with another learning rate. */
  public Adagrad withLearningRate(double newLearningRate) {
    return new Adagrad(
        newLearningRate, learningRateDecay, weightDecay, initialAccumulator, epsilon, maximize);
  }

  /** Returns the same with another decay of the learning rate. */
  public Adagrad withLearningRateDecay(double newLearningRateDecay) {
    return new Adagrad(
        learningRate, newLearningRateDecay, weightDecay, initialAccumulator, epsilon, maximize);
  }

  /** Returns the same with another weight decay. */
  public Adagrad withWeightDecay(double newWeightDecay) {
    return new Adagrad(
        learningRate, learningRateDecay, newWeightDecay, initialAccumulator, epsilon, maximize);
  }

  /** Returns the same with another beginning of the sum. */
  public Adagrad withInitialAccumulator(double newInitialAccumulator) {
    return new Adagrad(
        learningRate, learningRateDecay, weightDecay, newInitialAccumulator, epsilon, maximize);
  }

  /** Returns the same with another epsilon. */
  public Adagrad withEpsilon(double newEpsilon) {
    return new Adagrad(
        learningRate, learningRateDecay, weightDecay, initialAccumulator, newEpsilon, maximize);
  }

  /** Returns the same with or without going up. */
  public Adagrad withMaximize(boolean newMaximize) {
    return new Adagrad(
        learningRate, learningRateDecay, weightDecay, initialAccumulator, epsilon, newMaximize);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, weightDecay, maximize) {
      private final Vector sum = keep("sum", initialAccumulator);
      private final Vector divisor = scratch();

      @Override
      void begin(double step) {
        rate /= 1 + (step - 1) * learningRateDecay;
      }

      @Override
      void update(Vector value) {
        sum.apply(Op.ADD_PRODUCT, 1, gradient, gradient);
        divisor.apply(Op.SET, 1, sum);
        divisor.apply(Op.SQRT, 1);
        divisor.apply(Op.ADD_SCALAR, epsilon);
        value.apply(Op.ADD_QUOTIENT, -rate, gradient, divisor);
      }
    };
  }
}
