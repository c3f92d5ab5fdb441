package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Adam that is careful while it knows few gradients (Liu et al.); formulas and defaults of {@code
 * torch.optim.RAdam}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   m = beta1 * m + (1 - beta1) * g
 *   v = beta2 * v + (1 - beta2) * g * g
 *   n = 2 / (1 - beta2) - 1
 *   r = n - 2 * t * beta2^t / (1 - beta2^t)
 *   r above 5: value = value - learningRate * m / (1 - beta1^t)
 *                      * sqrt(1 - beta2^t) / (sqrt(v) + epsilon)
 *                      * sqrt((r - 4) * (r - 2) * n / ((n - 4) * (n - 2) * r))
 *   else:      value = value - learningRate * m / (1 - beta1^t)
 * </pre>
 *
 * @param learningRate the size of a step
 * @param beta1 the part of the average of gradients that a step keeps
 * @param beta2 the part of the average of squared gradients that a step keeps
 * @param epsilon the addend of the divisor
 * @param weightDecay the factor with which a value is added to its gradient
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record RAdam(
    double learningRate,
    double beta1,
    double beta2,
    double epsilon,
    double weightDecay,
    boolean maximize)
    implements MomentOptimizer<RAdam> {
  /** Checks the numbers: BAD_ARGUMENT. */
  public RAdam {
    NumberChecks.moments(learningRate, beta1, beta2, epsilon, weightDecay);
  }

  /** Returns the defaults: learningRate 0.001, betas 0.9 and 0.999, epsilon 1e-8, no decay. */
  public static RAdam defaults() {
    return new RAdam(0.001, 0.9, 0.999, 1e-8, 0, false);
  }

  @Override
  public RAdam with(double rate, double b1, double b2, double eps, double decay, boolean max) {
    return new RAdam(rate, b1, b2, eps, decay, max);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, weightDecay, maximize) {
      private static final double ENOUGH = 5;

      private final Vector mean = keep("exp_avg", 0);
      private final Vector squares = keep("exp_avg_sq", 0);
      private final Vector change = scratch();
      private final Vector adapted = scratch();
      private final double longest = 2 / (1 - beta2) - 1;
      private double correction1;
      private double correction2;
      private double length;

      @Override
      void begin(double step) {
        correction1 = 1 - Math.pow(beta1, step);
        correction2 = 1 - Math.pow(beta2, step);
        length = longest - 2 * step * Math.pow(beta2, step) / correction2;
      }

      @Override
      void update(Vector value) {
        mean.average(beta1, gradient);
        squares.averageSquares(beta2, gradient);
        change.apply(Op.SET, 1, mean);
        change.apply(Op.DIVIDE_SCALAR, correction1);
        change.scale(rate);
        if (length > ENOUGH) {
          adapted.apply(Op.SET, 1, squares);
          adapted.apply(Op.SQRT, 1);
          adapted.apply(Op.ADD_SCALAR, epsilon);
          adapted.apply(Op.DIVIDE_INTO, Math.sqrt(correction2));
          change.apply(Op.MULTIPLY, 1, adapted);
          change.scale(rectification());
        }
        value.apply(Op.ADD, -1, change);
      }

      private double rectification() {
        double n = longest;
        return Math.sqrt((length - 4) * (length - 2) * n / ((n - 4) * (n - 2) * length));
      }
    };
  }
}
