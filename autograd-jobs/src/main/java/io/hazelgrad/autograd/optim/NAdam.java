package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Adam that looks ahead as Nesterov's momentum does (Dozat); formulas and defaults of {@code
 * torch.optim.NAdam}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   mu(t) = beta1 * (1 - 0.96^(t * momentumDecay) / 2)
 *   m = beta1 * m + (1 - beta1) * g
 *   v = beta2 * v + (1 - beta2) * g * g
 *   d = sqrt(v / (1 - beta2^t)) + epsilon
 *   value = value - learningRate * (1 - mu(t)) / (1 - mu(1) * .. * mu(t)) * g / d
 *                 - learningRate * mu(t+1) / (1 - mu(1) * .. * mu(t) * mu(t) * mu(t+1)) * m / d
 * </pre>
 *
 * @param learningRate the size of a step
 * @param beta1 the part of the average of gradients that a step keeps
 * @param beta2 the part of the average of squared gradients that a step keeps
 * @param epsilon the addend of the divisor
 * @param weightDecay the factor with which a value is added to its gradient
 * @param momentumDecay how fast the momentum grows to beta1
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record NAdam(
    double learningRate,
    double beta1,
    double beta2,
    double epsilon,
    double weightDecay,
    double momentumDecay,
    boolean maximize)
    implements MomentOptimizer<NAdam> {
  /** Checks the numbers: BAD_ARGUMENT. */
  public NAdam {
    NumberChecks.moments(learningRate, beta1, beta2, epsilon, weightDecay);
    NumberChecks.notNegative("momentumDecay", momentumDecay);
  }

  /** Returns the defaults: learningRate 0.002, Adam's betas and epsilon, momentumDecay 0.004. */
  public static NAdam defaults() {
    return new NAdam(0.002, 0.9, 0.999, 1e-8, 0, 0.004, false);
  }

  @Override
  public NAdam with(double rate, double b1, double b2, double eps, double decay, boolean max) {
    return new NAdam(rate, b1, b2, eps, decay, momentumDecay, max);
  }

  /** Returns the same with another decay of the momentum. */
  public NAdam withMomentumDecay(double newMomentumDecay) {
    return new NAdam(learningRate, beta1, beta2, epsilon, weightDecay, newMomentumDecay, maximize);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, weightDecay, maximize) {
      private static final double DECAY = 0.96;

      private final Vector mean = keep("exp_avg", 0);
      private final Vector squares = keep("exp_avg_sq", 0);
      private final Vector divisor = scratch();

      /** The product of all mu: FLOAT32 whatever the parameter is, as torch has it. */
      private final Vector product = keepScalar("mu_product", 1);

      private double correction;
      private double gradientRate;
      private double meanRate;

      private double mu(double step) {
        return beta1 * (1 - 0.5 * Math.pow(DECAY, step * momentumDecay));
      }

      @Override
      void begin(double step) {
        double mu = mu(step);
        double next = mu(step + 1);
        product.scale(mu);
        float products = (float) product.first();
        float productNext = products * (float) mu * (float) next;
        correction = 1 - Math.pow(beta2, step);
        gradientRate = rate * (1 - mu) / (1 - (double) products);
        meanRate = rate * next / (1 - (double) productNext);
      }

      @Override
      void update(Vector value) {
        mean.average(beta1, gradient);
        squares.averageSquares(beta2, gradient);
        divisor.apply(Op.SET, 1, squares);
        divisor.apply(Op.DIVIDE_SCALAR, correction);
        divisor.apply(Op.SQRT, 1);
        divisor.apply(Op.ADD_SCALAR, epsilon);
        value.apply(Op.ADD_QUOTIENT, -gradientRate, gradient, divisor);
        value.apply(Op.ADD_QUOTIENT, -meanRate, mean, divisor);
      }
    };
  }
}
