package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Adaptive moments (Kingma and Ba); formulas and defaults of {@code torch.optim.Adam}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   m = beta1 * m + (1 - beta1) * g
 *   v = beta2 * v + (1 - beta2) * g * g          (amsgrad: the greatest v so far)
 *   value = value - learningRate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
 * </pre>
 *
 * @param learningRate the size of a step
 * @param beta1 the part of the average of gradients that a step keeps
 * @param beta2 the part of the average of squared gradients that a step keeps
 * @param epsilon the addend of the divisor
 * @param weightDecay the factor with which a value is added to its gradient
 * @param amsgrad whether to divide by the greatest average of squares so far
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record Adam(
    double learningRate,
    double beta1,
    double beta2,
    double epsilon,
    double weightDecay,
    boolean amsgrad,
    boolean maximize)
    implements MomentOptimizer<Adam> {
  /** Checks the numbers: BAD_ARGUMENT. */
  public Adam {
    NumberChecks.moments(learningRate, beta1, beta2, epsilon, weightDecay);
  }

  /** Returns the defaults: learningRate 0.001, betas 0.9 and 0.999, epsilon 1e-8, no decay. */
  public static Adam defaults() {
    return new Adam(0.001, 0.9, 0.999, 1e-8, 0, false, false);
  }

  @Override
  public Adam with(double rate, double b1, double b2, double eps, double decay, boolean max) {
    return new Adam(rate, b1, b2, eps, decay, amsgrad, max);
  }

  /** Returns the same with or without AMSGrad. */
  public Adam withAmsgrad(boolean newAmsgrad) {
    return new Adam(learningRate, beta1, beta2, epsilon, weightDecay, newAmsgrad, maximize);
  }

  @Override
  public State newState(Tensor parameter) {
    return new AdamState(this, 0, parameter);
  }
}
