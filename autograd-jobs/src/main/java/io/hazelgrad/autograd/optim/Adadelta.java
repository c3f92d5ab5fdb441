package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Adaptive steps without a learning rate to choose (Zeiler); formulas and defaults of {@code
 * torch.optim.Adadelta}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   s = rho * s + (1 - rho) * g * g
 *   d = sqrt(a + epsilon) / sqrt(s + epsilon) * g
 *   a = rho * a + (1 - rho) * d * d
 *   value = value - learningRate * d
 * </pre>
 *
 * @param learningRate the size of a step
 * @param rho how much of both averages of squares a step keeps
 * @param epsilon is added under both roots
 * @param weightDecay the factor with which a value is added to its gradient
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record Adadelta(
    double learningRate, double rho, double epsilon, double weightDecay, boolean maximize)
    implements Optimizer {
  /** Checks the numbers: BAD_ARGUMENT. */
  public Adadelta {
    NumberChecks.notNegative("learningRate", learningRate);
    NumberChecks.upToOne("rho", rho);
    NumberChecks.notNegative("epsilon", epsilon);
    NumberChecks.notNegative("weightDecay", weightDecay);
  }

  /** Returns the defaults: learningRate 1, rho 0.9, epsilon 1e-6, weightDecay 0, maximize false. */
  public static Adadelta defaults() {
    return new Adadelta(1, 0.9, 1e-6, 0, false);
  }

  /** Returns the same with another learning rate. */
  public Adadelta withLearningRate(double newLearningRate) {
    return new Adadelta(newLearningRate, rho, epsilon, weightDecay, maximize);
  }

  /** Returns the same with another rho. */
  public Adadelta withRho(double newRho) {
    return new Adadelta(learningRate, newRho, epsilon, weightDecay, maximize);
  }

  /** Returns the same with another epsilon. */
  public Adadelta withEpsilon(double newEpsilon) {
    return new Adadelta(learningRate, rho, newEpsilon, weightDecay, maximize);
  }

  /** Returns the same with another weight decay. */
  public Adadelta withWeightDecay(double newWeightDecay) {
    return new Adadelta(learningRate, rho, epsilon, newWeightDecay, maximize);
  }

  /** Returns the same with or without going up. */
  public Adadelta withMaximize(boolean newMaximize) {
    return new Adadelta(learningRate, rho, epsilon, weightDecay, newMaximize);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, weightDecay, maximize) {
      private final Vector squares = keep("square_avg", 0);
      private final Vector deltas = keep("acc_delta", 0);
      private final Vector root = scratch();
      private final Vector delta = scratch();

      @Override
      void update(Vector value) {
        squares.averageSquares(rho, gradient);
        root.apply(Op.SET, 1, squares);
        root.apply(Op.ADD_SCALAR, epsilon);
        root.apply(Op.SQRT, 1);
        delta.apply(Op.SET, 1, deltas);
        delta.apply(Op.ADD_SCALAR, epsilon);
        delta.apply(Op.SQRT, 1);
        delta.apply(Op.DIVIDE, 1, root);
        delta.apply(Op.MULTIPLY, 1, gradient);
        deltas.averageSquares(rho, delta);
        value.apply(Op.ADD, -rate, delta);
      }
    };
  }
}
