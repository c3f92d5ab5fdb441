package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Stochastic gradient descent, perhaps with momentum; formulas and defaults of {@code
 * torch.optim.SGD}.
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   b = momentum * b + (1 - dampening) * g       (in the first step b = g)
 *   g = nesterov ? g + momentum * b : b          (only if momentum is not 0)
 *   value = value - learningRate * g
 * </pre>
 *
 * @param learningRate the size of a step
 * @param momentum the part of the last steps that goes on
 * @param dampening how much less of a gradient joins the momentum
 * @param weightDecay the factor with which a value is added to its gradient
 * @param nesterov whether the step looks ahead; needs a momentum and no dampening
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record Sgd(
    double learningRate,
    double momentum,
    double dampening,
    double weightDecay,
    boolean nesterov,
    boolean maximize)
    implements Optimizer {
  /** Checks the numbers: BAD_ARGUMENT. */
  public Sgd {
    NumberChecks.notNegative("learningRate", learningRate);
    NumberChecks.notNegative("momentum", momentum);
    NumberChecks.notNegative("weightDecay", weightDecay);
    if (nesterov && (momentum <= 0 || dampening != 0)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "nesterov needs a momentum and no dampening: momentum=%s dampening=%s"
              .formatted(momentum, dampening));
    }
    NumberChecks.require(Double.isFinite(dampening), "dampening", dampening, "a number");
  }

  /** Returns plain descent: no momentum, no weight decay. */
  public static Sgd of(double learningRate) {
    return new Sgd(learningRate, 0, 0, 0, false, false);
  }

  /** Returns the same with another learning rate. */
  public Sgd withLearningRate(double newLearningRate) {
    return new Sgd(newLearningRate, momentum, dampening, weightDecay, nesterov, maximize);
  }

  /** Returns the same with another momentum. */
  public Sgd withMomentum(double newMomentum) {
    return new Sgd(learningRate, newMomentum, dampening, weightDecay, nesterov, maximize);
  }

  /** Returns the same with another dampening. */
  public Sgd withDampening(double newDampening) {
    return new Sgd(learningRate, momentum, newDampening, weightDecay, nesterov, maximize);
  }

  /** Returns the same with another weight decay. */
  public Sgd withWeightDecay(double newWeightDecay) {
    return new Sgd(learningRate, momentum, dampening, newWeightDecay, nesterov, maximize);
  }

  /** Returns the same with or without Nesterov's look ahead. */
  public Sgd withNesterov(boolean newNesterov) {
    return new Sgd(learningRate, momentum, dampening, weightDecay, newNesterov, maximize);
  }

  /** Returns the same with or without going up. */
  public Sgd withMaximize(boolean newMaximize) {
    return new Sgd(learningRate, momentum, dampening, weightDecay, nesterov, newMaximize);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, weightDecay, maximize) {
      private final @Nullable Vector buffer = momentum == 0 ? null : keep("momentum_buffer", 0);

      @Override
      boolean onlyAddsGradient() {
        return buffer == null && weightDecay == 0;
      }

      @Override
      void update(Vector value) {
        if (buffer == null) {
          value.apply(Op.ADD, -rate, gradient);
          return;
        }
        if (isFirstStep()) {
          buffer.apply(Op.SET, 1, gradient);
        } else {
          buffer.scale(momentum);
          buffer.apply(Op.ADD, 1 - dampening, gradient);
        }
        if (nesterov) {
          gradient.apply(Op.ADD, momentum, buffer);
          value.apply(Op.ADD, -rate, gradient);
        } else {
          value.apply(Op.ADD, -rate, buffer);
        }
      }
    };
  }
}
