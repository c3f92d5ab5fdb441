package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.Map;

/**
 * How an optimizer changes one parameter. A specification is a value that travels to the owners of
 * the parameters; what it remembers of a parameter between steps lives in a {@link State} there.
 *
 * <p>The ten of this package have the formulas and the defaults of {@code torch.optim}. An
 * optimizer of your own is a class that can travel (a record marked {@link
 * io.hazelgrad.grid.RemoteValue}) and is on the class path of every owner.
 */
public interface Optimizer {
  /** Returns the learning rate before any schedule. */
  double learningRate();

  /**
   * Makes the memory for one parameter.
   *
   * @param parameter the parameter's value now, for its type and shape
   */
  State newState(Tensor parameter);

  /** What an optimizer remembers of one parameter. Not safe for several threads. */
  interface State {
    /**
     * Returns the parameter after a step. If this throws, the parameter stays as it was; so should
     * this state.
     *
     * @param value the parameter before the step
     * @param gradient its gradient, of the same type and shape
     * @param learningRate that of this step, as a schedule gives it
     */
    Tensor step(Tensor value, Tensor gradient, double learningRate);

    /** As {@link #step}, with every element of the gradient multiplied by {@code scale} before. */
    default Tensor step(Tensor value, Tensor gradient, double learningRate, double scale) {
      if (scale == 1) {
        return step(value, gradient, learningRate);
      }
      Vector scaled = Vector.copyOf(gradient);
      scaled.apply(Vector.Op.SCALE, scale);
      return step(value, scaled.toTensor(gradient.shape()).to(gradient.dtype()), learningRate, 1);
    }

    /** Returns what is remembered, by name; nothing before the first step. A copy. */
    Map<String, Tensor> export();

    /**
     * Takes what {@link #export} of the same optimizer returned.
     *
     * @throws GridException BAD_ARGUMENT if names, types or shapes are others; nothing has changed
     *     then
     */
    void restore(Map<String, Tensor> exported);
  }
}
