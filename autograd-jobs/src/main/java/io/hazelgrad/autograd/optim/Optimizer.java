package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Tensor;

/**
 * How an optimizer changes one parameter. A specification is a value that travels to the owners of
 * the parameters; what it remembers of a parameter between steps lives in a {@link State} there.
 */
public sealed interface Optimizer permits Sgd {
  /** Makes the memory for one parameter. */
  State newState();

  /** What an optimizer remembers of one parameter. Not safe for several threads. */
  interface State {
    /**
     * Returns the parameter after a step.
     *
     * @param value the parameter before the step
     * @param gradient its gradient, of the same type and shape
     */
    Tensor step(Tensor value, Tensor gradient);
  }
}
