package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;

/**
 * Resilient propagation (Riedmiller and Braun): steps whose size only the signs of gradients
 * decide; formulas and defaults of {@code torch.optim.Rprop}.
 *
 * <pre>
 *   s = s * (etaPlus where gradient * before is above 0, etaMinus where it is below)
 *                                  (within leastStep and greatestStep; s begins as learningRate)
 *   g = gradient, but 0 where gradient * before is below 0
 *   value = value - sign(g) * s
 *   before = g
 * </pre>
 *
 * @param learningRate the size of the first step
 * @param etaMinus the factor of a step's size after the sign has changed; above 0 and below 1
 * @param etaPlus the factor if the sign has stayed; above 1
 * @param leastStep the least size
 * @param greatestStep the greatest size
 * @param maximize whether to go up the gradient in place of down
 */
@RemoteValue
public record Rprop(
    double learningRate,
    double etaMinus,
    double etaPlus,
    double leastStep,
    double greatestStep,
    boolean maximize)
    implements Optimizer {
  /** Checks the numbers: BAD_ARGUMENT. */
  public Rprop {
    NumberChecks.notNegative("learningRate", learningRate);
    NumberChecks.require(etaMinus > 0 && etaMinus < 1, "etaMinus", etaMinus, "above 0 and below 1");
    NumberChecks.require(etaPlus > 1, "etaPlus", etaPlus, "above 1");
    NumberChecks.require(
        leastStep <= greatestStep, "leastStep", leastStep, "at most greatestStep=" + greatestStep);
  }

  /** Returns the defaults: learningRate 0.01, etas 0.5 and 1.2, steps from 1e-6 to 50. */
  public static Rprop defaults() {
    return new Rprop(0.01, 0.5, 1.2, 1e-6, 50, false);
  }

  /** Returns the same with another learning rate. */
  public Rprop withLearningRate(double newLearningRate) {
    return new Rprop(newLearningRate, etaMinus, etaPlus, leastStep, greatestStep, maximize);
  }

  /** Returns the same with other factors of the size. */
  public Rprop withEtas(double minus, double plus) {
    return new Rprop(learningRate, minus, plus, leastStep, greatestStep, maximize);
  }

  /** Returns the same with other bounds of the size. */
  public Rprop withSteps(double least, double greatest) {
    return new Rprop(learningRate, etaMinus, etaPlus, least, greatest, maximize);
  }

  /** Returns the same with or without going up. */
  public Rprop withMaximize(boolean newMaximize) {
    return new Rprop(learningRate, etaMinus, etaPlus, leastStep, greatestStep, newMaximize);
  }

  @Override
  public State newState(Tensor parameter) {
    return new ArrayState(parameter, 0, maximize) {
      private final Vector before = keep("prev", 0);
      private final Vector sizes = keep("step_size", 0);
      private final Vector product = scratch();

      @Override
      void update(Vector value) {
        if (isFirstStep()) {
          sizes.scale(0);
          sizes.apply(Op.ADD_SCALAR, rate);
        }
        product.apply(Op.SET, 1, gradient);
        product.apply(Op.MULTIPLY, 1, before);
        sizes.scaleBySign(product, etaMinus, etaPlus, leastStep, greatestStep);
        gradient.apply(Op.CLEAR_WHERE_NEGATIVE, 1, product);
        value.apply(Op.SUBTRACT_SIGNED, 1, gradient, sizes);
        before.apply(Op.SET, 1, gradient);
      }
    };
  }
}
