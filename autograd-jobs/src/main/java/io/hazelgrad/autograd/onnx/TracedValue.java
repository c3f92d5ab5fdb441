package io.hazelgrad.autograd.onnx;

import io.hazelgrad.grid.DType;

/**
 * A value of a trace with its name in the model.
 *
 * @param dtype the type of the elements
 * @param shape the shape in the first trace
 * @param other the shape in the second trace, with a larger batch
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared.
record TracedValue(String name, DType dtype, long[] shape, long[] other) {
  int rank() {
    return shape.length;
  }

  /** Returns whether an extent depends on the batch. */
  boolean varies(int dim) {
    return shape[dim] != other[dim];
  }

  /** Returns the same value after a conversion. */
  TracedValue as(String newName, DType newType) {
    return new TracedValue(newName, newType, shape, other);
  }
}
