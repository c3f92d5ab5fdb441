package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Adam with the weight decay beside the gradient and not in it (Loshchilov and Hutter); formulas
 * and defaults of {@code torch.optim.AdamW}.
 *
 * <pre>
 *   value = value * (1 - learningRate * weightDecay)
 *   m = beta1 * m + (1 - beta1) * gradient
 *   v = beta2 * v + (1 - beta2) * gradient * gradient          (amsgrad: the greatest v so far)
 *   value = value - learningRate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
 * </pre>
 *
 * @param learningRate the size of a step
 * @param beta1 the part of the average of gradients that a step keeps
 * @param beta2 the part of the average of squared gradients that a step keeps
 * @param epsilon the addend of the divisor
 * @param weightDecay which part of a value, times the learning rate, a step takes off
 * @param amsgrad whether to divide by the greatest average of squares so far
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record AdamW(
    double learningRate,
    double beta1,
    double beta2,
    double epsilon,
    double weightDecay,
    boolean amsgrad,
    boolean maximize)
    implements MomentOptimizer<AdamW> {
  /** Checks the numbers: BAD_ARGUMENT. */
  public AdamW {
    NumberChecks.moments(learningRate, beta1, beta2, epsilon, weightDecay);
  }

  /** Returns the defaults of Adam, with a weightDecay of 0.01. */
  public static AdamW defaults() {
    return new AdamW(0.001, 0.9, 0.999, 1e-8, 0.01, false, false);
  }

  @Override
  public AdamW with(double rate, double b1, double b2, double eps, double decay, boolean max) {
    return new AdamW(rate, b1, b2, eps, decay, amsgrad, max);
  }

  /** Returns the same with or without AMSGrad. */
  public AdamW withAmsgrad(boolean newAmsgrad) {
    return new AdamW(learningRate, beta1, beta2, epsilon, weightDecay, newAmsgrad, maximize);
  }

  @Override
  public State newState(Tensor parameter) {
    Adam adam = new Adam(learningRate, beta1, beta2, epsilon, 0, amsgrad, maximize);
    return new AdamState(adam, weightDecay, parameter);
  }
}
