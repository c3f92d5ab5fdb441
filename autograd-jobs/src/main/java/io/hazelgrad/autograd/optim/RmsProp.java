package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Division by the root of the mean square (Hinton); formulas and defaults of {@code
 * torch.optim.RMSprop}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   s = alpha * s + (1 - alpha) * g * g
 *   a = alpha * a + (1 - alpha) * g              (only if centered)
 *   d = g / (sqrt(s - a * a) + epsilon)          (not centered: sqrt(s))
 *   b = momentum * b + d                         (no momentum: b = d)
 *   value = value - learningRate * b
 * </pre>
 *
 * @param learningRate the size of a step
 * @param alpha the part of the average of squares that a step keeps
 * @param epsilon the addend of the divisor
 * @param weightDecay the factor with which a value is added to its gradient
 * @param momentum the part of the last steps that goes on
 * @param centered whether to divide by the deviation in place of the mean square
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record RmsProp(
    double learningRate,
    double alpha,
    double epsilon,
    double weightDecay,
    double momentum,
    boolean centered,
    boolean maximize)
    implements Optimizer {
  /** Checks the numbers: BAD_ARGUMENT. */
  public RmsProp {
    NumberChecks.notNegative("learningRate", learningRate);
    NumberChecks.notNegative("alpha", alpha);
    NumberChecks.notNegative("epsilon", epsilon);
    NumberChecks.notNegative("weightDecay", weightDecay);
    NumberChecks.notNegative("momentum", momentum);
  }

  /** Returns the defaults: learningRate 0.01, alpha 0.99, epsilon 1e-8, the others 0 or false. */
  public static RmsProp defaults() {
    return new RmsProp(0.01, 0.99, 1e-8, 0, 0, false, false);
  }

  /** Returns the same with another learning rate. */
  public RmsProp withLearningRate(double newLearningRate) {
    return new RmsProp(newLearningRate, alpha, epsilon, weightDecay, momentum, centered, maximize);
  }

  /** Returns the same with another alpha. */
  public RmsProp withAlpha(double newAlpha) {
    return new RmsProp(learningRate, newAlpha, epsilon, weightDecay, momentum, centered, maximize);
  }

  /** Returns the same with another epsilon. */
  public RmsProp withEpsilon(double newEpsilon) {
    return new RmsProp(learningRate, alpha, newEpsilon, weightDecay, momentum, centered, maximize);
  }

  /** Returns the same with another weight decay. */
  public RmsProp withWeightDecay(double newWeightDecay) {
    return new RmsProp(learningRate, alpha, epsilon, newWeightDecay, momentum, centered, maximize);
  }

  /** Returns the same with another momentum. */
  public RmsProp withMomentum(double newMomentum) {
    return new RmsProp(learningRate, alpha, epsilon, weightDecay, newMomentum, centered, maximize);
  }

  /** Returns the same with or without centering. */
  public RmsProp withCentered(boolean newCentered) {
    return new RmsProp(learningRate, alpha, epsilon, weightDecay, momentum, newCentered, maximize);
  }

  /** Returns the same with or without going up. */
  public RmsProp withMaximize(boolean newMaximize) {
    return new RmsProp(learningRate, alpha, epsilon, weightDecay, momentum, centered, newMaximize);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, weightDecay, maximize) {
      private final Vector squares = keep("square_avg", 0);
      private final @Nullable Vector gradients = centered ? keep("grad_avg", 0) : null;
      private final @Nullable Vector buffer = momentum > 0 ? keep("momentum_buffer", 0) : null;
      private final Vector divisor = scratch();

      @Override
      void update(Vector value) {
        squares.averageSquares(alpha, gradient);
        divisor.apply(Op.SET, 1, squares);
        if (gradients != null) {
          gradients.average(alpha, gradient);
          divisor.apply(Op.ADD_PRODUCT, -1, gradients, gradients);
        }
        divisor.apply(Op.SQRT, 1);
        divisor.apply(Op.ADD_SCALAR, epsilon);
        if (buffer == null) {
          value.apply(Op.ADD_QUOTIENT, -rate, gradient, divisor);
        } else {
          buffer.scale(momentum);
          buffer.apply(Op.ADD_QUOTIENT, 1, gradient, divisor);
          value.apply(Op.ADD, -rate, buffer);
        }
      }
    };
  }
}
