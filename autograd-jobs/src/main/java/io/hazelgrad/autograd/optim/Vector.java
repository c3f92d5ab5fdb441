package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.lang.reflect.Array;

/**
 * An array of floating-point numbers with the in-place arithmetic that torch's optimizers use.
 * Scalars are rounded to the element type before an operation, and every operation rounds its
 * result, both as in torch; a formula written with these operations gives torch's bits.
 *
 * <p>Operations work on a window of the array. An optimizer goes through its arrays block by block,
 * so that a block stays in the processor's cache through all operations of a step. A window that is
 * not the whole array is a copy, which {@link #store} writes back.
 *
 * <p>Threads: not safe.
 */
abstract sealed class Vector permits FloatVector, DoubleVector {
  /** An operation: the new element d' from d, the scalar a, and the elements x and y. */
  enum Op {
    /** d' = x * a. */
    SET,
    /** d' = d + a. */
    ADD_SCALAR,
    /** d' = d + a * x. */
    ADD,
    /** d' = d + a * x * y. */
    ADD_PRODUCT,
    /** d' = d + a * x / y. */
    ADD_QUOTIENT,
    /** d' = d * x. */
    MULTIPLY,
    /** d' = d / a. */
    DIVIDE_SCALAR,
    /** d' = d / x. */
    DIVIDE,
    /** d' = a / d. */
    DIVIDE_INTO,
    /** d' = sqrt(d). */
    SQRT,
    /** d' = |d|. */
    ABS,
    /** d' = max(d, x); NaN if one of them is. */
    MAX,
    /** d' = 0 where x is negative, d elsewhere. */
    CLEAR_WHERE_NEGATIVE,
    /** d' = d - sign(x) * y. */
    SUBTRACT_SIGNED
  }

  /** All elements: a {@code float[]} or {@code double[]}. */
  Object all;

  /** The window's elements: {@link #all} itself, or a copy of a part of it. */
  Object block;

  private int size;
  private int from;
  private int count;

  Vector(Object all) {
    setAll(all);
  }

  /** Returns a vector over the elements of a tensor: FLOAT64 as they are, others as FLOAT32. */
  static Vector over(Tensor tensor) {
    return tensor.dtype() == DType.FLOAT64
        ? new DoubleVector((double[]) tensor.storage().array())
        : new FloatVector(
            tensor.dtype() == DType.FLOAT32
                ? (float[]) tensor.storage().array()
                : tensor.toFloats());
  }

  /** Returns a vector over a copy of the elements of a tensor, of the types of {@link #over}. */
  static Vector copyOf(Tensor tensor) {
    return tensor.dtype() == DType.FLOAT64
        ? new DoubleVector(tensor.toDoubles())
        : new FloatVector(tensor.toFloats());
  }

  /** Returns a vector without elements, of the element type for tensors of this type. */
  static Vector empty(DType dtype) {
    return dtype == DType.FLOAT64 ? new DoubleVector(new double[0]) : new FloatVector(new float[0]);
  }

  /** Replaces the array; the window is all of it. */
  final void setAll(Object newAll) {
    all = newAll;
    block = newAll;
    size = Array.getLength(newAll);
    from = 0;
    count = size;
  }

  /** Sets the window. Changes in the last window that were not stored are lost. */
  final void window(int newFrom, int newCount) {
    from = newFrom;
    count = newCount;
    if (newCount == size) {
      block = all;
      return;
    }
    if (block == all || Array.getLength(block) < newCount) {
      block = allocate(newCount);
    }
    System.arraycopy(all, newFrom, block, 0, newCount);
  }

  /** Writes the window's elements back into the array. */
  final void store() {
    if (block != all) {
      System.arraycopy(block, 0, all, from, count);
    }
  }

  /** Returns the number of elements. */
  final int size() {
    return size;
  }

  /** Returns the number of elements of the window. */
  final int count() {
    return count;
  }

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

  private Object allocate(int length) {
    return Array.newInstance(all.getClass().getComponentType(), length);
  }

  /** Replaces the array by one of {@code length} elements of one value. */
  final void fill(int length, double value) {
    setAll(allocate(length));
    apply(Op.ADD_SCALAR, value);
  }

  /** Replaces the array by a copy of a tensor's elements. */
  final void load(Tensor tensor) {
    setAll(all instanceof float[] ? tensor.toFloats() : tensor.toDoubles());
  }

  /** Returns the array itself, not a copy, as a tensor: FLOAT64 or FLOAT32. */
  final Tensor toTensor(long... shape) {
    return all instanceof float[] floats
        ? Tensor.wrap(floats, shape)
        : Tensor.wrap((double[]) all, shape);
  }

  /** Returns the first element of the window. */
  final double first() {
    return Array.getDouble(block, 0);
  }
}
