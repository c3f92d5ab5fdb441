package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.CpuBackend;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Stochastic gradient descent, with torch's formulas:
 *
 * <pre>
 *   g = gradient + weightDecay * value
 *   b = momentum * b + (1 - dampening) * g       (the first time b = g)
 *   g = nesterov ? g + momentum * b : b          (only if momentum is not 0)
 *   value = value - learningRate * g
 * </pre>
 *
 * @param learningRate how far a step goes
 * @param momentum how much of the last steps goes on
 * @param dampening how much less of a gradient joins the momentum
 * @param weightDecay how strongly values are pulled to zero
 * @param nesterov whether the step looks ahead
 */
@RemoteValue
public record Sgd(
    double learningRate, double momentum, double dampening, double weightDecay, boolean nesterov)
    implements Optimizer {
  private static final Backend BACKEND = new CpuBackend();

  /** Checks the numbers. */
  public Sgd {
    if (!(learningRate >= 0) || !(momentum >= 0) || !(weightDecay >= 0)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "learningRate, momentum and weightDecay must not be negative: learningRate="
              + learningRate
              + " momentum="
              + momentum
              + " weightDecay="
              + weightDecay);
    }
    if (nesterov && (momentum <= 0 || dampening != 0)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "nesterov needs a momentum and no dampening: momentum="
              + momentum
              + " dampening="
              + dampening);
    }
  }

  /** Makes plain descent. */
  public static Sgd of(double learningRate) {
    return new Sgd(learningRate, 0, 0, 0, false);
  }

  /** Returns the same with a momentum. */
  public Sgd withMomentum(double newMomentum) {
    return new Sgd(learningRate, newMomentum, dampening, weightDecay, nesterov);
  }

  /** Returns the same with a weight decay. */
  public Sgd withWeightDecay(double newWeightDecay) {
    return new Sgd(learningRate, momentum, dampening, newWeightDecay, nesterov);
  }

  @Override
  public State newState() {
    return new Momentum();
  }

  private static Tensor scaled(Tensor tensor, double factor) {
    Tensor scalar = Tensor.full(tensor.dtype(), factor);
    return BACKEND.binary(Backend.Binary.MUL, tensor, scalar);
  }

  private static Tensor sum(Tensor a, Tensor b) {
    return BACKEND.binary(Backend.Binary.ADD, a, b);
  }

  private final class Momentum implements State {
    private @Nullable Tensor buffer;

    @Override
    public Tensor step(Tensor value, Tensor gradient) {
      Tensor g = weightDecay == 0 ? gradient : sum(gradient, scaled(value, weightDecay));
      if (momentum != 0) {
        buffer = buffer == null ? g : sum(scaled(buffer, momentum), scaled(g, 1 - dampening));
        g = nesterov ? sum(g, scaled(buffer, momentum)) : buffer;
      }
      return BACKEND.binary(Backend.Binary.SUB, value, scaled(g, learningRate));
    }
  }
}
