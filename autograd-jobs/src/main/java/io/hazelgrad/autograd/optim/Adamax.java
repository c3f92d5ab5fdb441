package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Adam with the greatest gradient in place of the mean square (Kingma and Ba); formulas and
 * defaults of {@code torch.optim.Adamax}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   m = beta1 * m + (1 - beta1) * g
 *   u = max(beta2 * u, |g| + epsilon)
 *   value = value - learningRate / (1 - beta1^t) * m / u
 * </pre>
 *
 * @param learningRate the size of a step
 * @param beta1 the part of the average of gradients that a step keeps
 * @param beta2 the part of the greatest gradient that a step keeps
 * @param epsilon is added to the size of the gradient
 * @param weightDecay the factor with which a value is added to its gradient
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record Adamax(
    double learningRate,
    double beta1,
    double beta2,
    double epsilon,
    double weightDecay,
    boolean maximize)
    implements MomentOptimizer<Adamax> {
  /** Checks the numbers: BAD_ARGUMENT. */
  public Adamax {
    NumberChecks.moments(learningRate, beta1, beta2, epsilon, weightDecay);
  }

  /** Returns the defaults: learningRate 0.002, betas 0.9 and 0.999, epsilon 1e-8, no decay. */
  public static Adamax defaults() {
    return new Adamax(0.002, 0.9, 0.999, 1e-8, 0, false);
  }

  @Override
  public Adamax with(double rate, double b1, double b2, double eps, double decay, boolean max) {
    return new Adamax(rate, b1, b2, eps, decay, max);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, weightDecay, maximize) {
      private final Vector mean = keep("exp_avg", 0);
      private final Vector greatest = keep("exp_inf", 0);

      @Override
      void begin(double step) {
        rate /= 1 - Math.pow(beta1, step);
      }

      @Override
      void update(Vector value) {
        mean.average(beta1, gradient);
        gradient.apply(Op.ABS, 1);
        gradient.apply(Op.ADD_SCALAR, epsilon);
        greatest.scale(beta2);
        greatest.apply(Op.MAX, 1, gradient);
        value.apply(Op.ADD_QUOTIENT, -rate, mean, greatest);
      }
    };
  }
}
