package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.Tensor;

/**
 * A tensor that belongs to the state of a module but is not trained, such as a running mean.
 *
 * <p>Threads: safe.
 */
public final class Buffer {
  private volatile Tensor value;

  Buffer(Tensor initial) {
    this.value = initial;
  }

  /** Returns the tensor. */
  public Tensor value() {
    return value;
  }

  /**
   * Replaces the tensor.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT if type or shape differ
   */
  public void set(Tensor newValue) {
    if (newValue.dtype() != value.dtype() || !newValue.hasShape(value.shape())) {
      throw Module.bad("a buffer keeps its type and shape: is " + value + ", new " + newValue);
    }
    value = newValue;
  }

  @Override
  public String toString() {
    return "Buffer(" + value + ")";
  }
}
