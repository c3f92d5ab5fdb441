package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.Tensor;

/**
 * Floating-point numbers with the in-place arithmetic that torch's optimizers use. Scalars are
 * rounded to the element type before an operation, and every operation rounds its result, both as
 * in torch; a formula written with these operations gives torch's bits.
 *
 * <p>Operations work on a window of the elements. On the CPU, an optimizer goes through its vectors
 * block by block, so that a block stays in the processor's cache through all operations of a step.
 *
 * <p>Threads: not safe.
 */
abstract sealed class Vector permits HostVector, DeviceVector {
  /** Sets the window. Changes in the last window that were not stored are lost. */
  abstract void window(int newFrom, int newCount);

  /** Keeps the changes of the window's elements. */
  abstract void store();

  /** Returns the number of elements. */
  abstract int size();

  /** Multiplies the window by a scalar. */
  final void scale(double a) {
    apply(Op.SET, a, this);
  }

  /** Applies an operation of the elements and a scalar to the window. */
  final void apply(Op op, double a) {
    apply(op, a, this, this);
  }

  /** Applies an operation of a scalar to the window and that of x. */
  final void apply(Op op, double a, Vector x) {
    apply(op, a, x, x);
  }

  /** Applies an operation of a scalar to the window and those of x and y. */
  abstract void apply(Op op, double a, Vector x, Vector y);

  /** Returns a new vector of all elements plus a times those of x, in one pass over memory. */
  abstract Vector plus(double a, Vector x);

  /**
   * Multiplies elements of the window by {@code up} where x is positive and by {@code down} where
   * it is negative, then limits all to the range from {@code least} to {@code greatest}.
   */
  abstract void scaleBySign(Vector x, double down, double up, double least, double greatest);

  /** Makes the window a moving average of itself and x: d' = kept * d + (1 - kept) * x. */
  final void average(double kept, Vector x) {
    scale(kept);
    apply(Op.ADD, 1 - kept, x);
  }

  /** Makes the window a moving average of itself and the squares of x. */
  final void averageSquares(double kept, Vector x) {
    scale(kept);
    apply(Op.ADD_PRODUCT, 1 - kept, x, x);
  }

  /** Replaces all elements by {@code length} elements of one value. */
  abstract void fill(int length, double value);

  /** Replaces all elements by a copy of a tensor's. */
  abstract void load(Tensor tensor);

  /** Returns the elements themselves, not a copy, as a tensor: FLOAT64 or FLOAT32. */
  abstract Tensor toTensor(long... shape);

  /** Returns a copy of the elements on the host. */
  abstract Tensor copy(long... shape);

  /** Returns the first element of the window. */
  abstract double first();
}
