package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.Map;

/**
 * The algorithm that changes a parameter in a training step, with its options. An optimizer is a
 * value that travels to the owners of the parameters. The owner keeps the {@link State} of each
 * parameter between steps.
 *
 * <p>The ten optimizers of this package have the formulas and the defaults of {@code torch.optim}.
 * In a formula t is the number of the step, from 1; a step without a gradient does not count. An
 * optimizer of your own is a class that can travel (a record marked {@link
 * io.hazelgrad.grid.RemoteValue}) and is on the class path of every owner.
 */
public interface Optimizer {
  /** Returns the learning rate before any schedule. */
  double learningRate();

  /**
   * Returns a new state for one parameter.
   *
   * @param parameter the parameter's value now, for its type and shape
   */
  State newState(Tensor parameter);

  /** The state of an optimizer for one parameter. Not safe for several threads. */
  interface State {
    /**
     * Returns the parameter after a step. If this throws, the parameter stays as it was; so must
     * the state.
     *
     * @param value the parameter before the step
     * @param gradient its gradient, of the same type and shape
     * @param learningRate that of this step, as a schedule gives it
     */
    Tensor step(Tensor value, Tensor gradient, double learningRate);

    /** Returns the parameter after a step with the gradient multiplied by {@code scale}. */
    default Tensor step(Tensor value, Tensor gradient, double learningRate, double scale) {
      if (scale == 1) {
        return step(value, gradient, learningRate);
      }
      Vector scaled = HostVector.copyOf(gradient);
      scaled.scale(scale);
      Tensor changed = scaled.toTensor(gradient.shape()).to(gradient.dtype());
      return step(value, changed.to(gradient.device()), learningRate, 1);
    }

    /** Returns a copy of the state by name; an empty map before the first step. */
    Map<String, Tensor> export();

    /**
     * Takes what {@link #export} of the same optimizer returned.
     *
     * @throws GridException BAD_ARGUMENT if names, types or shapes differ; nothing has changed then
     */
    void restore(Map<String, Tensor> exported);
  }
}
