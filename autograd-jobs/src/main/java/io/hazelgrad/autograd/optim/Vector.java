package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;

/**
 * An array of numbers with the in-place arithmetic that torch's optimizers consist of. Every
 * operation rounds its result to the element type, and its scalars before, as torch's do; so a
 * formula that is written with them computes what torch computes. They work on a window of the
 * array: an optimizer goes over its arrays block by block, so that a block stays in the processor's
 * cache through all operations of a step. A window that is not the whole array is a copy, which
 * {@link #store} brings back.
 *
 * <p>Threads: not safe.
 */
abstract sealed class Vector permits FloatVector, DoubleVector {
  /** The window: its first element in the array, and how many it has. */
  int from;

  int count;

  /** Returns a vector over the elements of a tensor: FLOAT64 as they are, others as FLOAT32. */
  static Vector over(Tensor tensor) {
    return tensor.dtype() == DType.FLOAT64
        ? new DoubleVector((double[]) tensor.storage().array())
        : new FloatVector(
            tensor.dtype() == DType.FLOAT32
                ? (float[]) tensor.storage().array()
                : tensor.toFloats());
  }

  /** As {@link #over}, of a copy. */
  static Vector copyOf(Tensor tensor) {
    return tensor.dtype() == DType.FLOAT64
        ? new DoubleVector(tensor.toDoubles())
        : new FloatVector(tensor.toFloats());
  }

  /** Makes a vector without elements, for those that a tensor of this type has. */
  static Vector empty(DType dtype) {
    return dtype == DType.FLOAT64 ? new DoubleVector(new double[0]) : new FloatVector(new float[0]);
  }

  /** Sets the window. What was changed in the last one and not stored is lost. */
  abstract void window(int from, int size);

  /** Brings the window's elements back into the array. */
  abstract void store();

  final void setWindow(int newFrom, int size) {
    from = newFrom;
    count = size;
  }

  /** Gives this so many elements, all of one value. */
  abstract void fill(int size, double value);

  /** Gives this a copy of a tensor's elements. */
  abstract void load(Tensor tensor);

  /** Returns the array itself as a tensor: FLOAT64 or FLOAT32. */
  abstract Tensor toTensor(long... shape);

  /** Returns the number of elements. */
  abstract int size();

  /** Returns the first element of the window. */
  abstract double first();

  /** this = x * a. */
  abstract void set(Vector x, double a);

  /** this = this + a. */
  abstract void add(double a);

  /** this = this + a * x. */
  abstract void add(Vector x, double a);

  /** this = this + a * x * y. */
  abstract void addProduct(Vector x, Vector y, double a);

  /** this = this + a * x / y. */
  abstract void addQuotient(Vector x, Vector y, double a);

  /** this = this * a. */
  abstract void multiply(double a);

  /** this = this * x. */
  abstract void multiply(Vector x);

  /** this = this / a. */
  abstract void divide(double a);

  /** this = this / x. */
  abstract void divide(Vector x);

  /** this = a / this. */
  abstract void divideInto(double a);

  /** this = sqrt(this). */
  abstract void sqrt();

  /** this = |this|. */
  abstract void abs();

  /** this = max(this, x); NaN if one is. */
  abstract void max(Vector x);

  /**
   * this = this * (up where x is positive, down where it is negative), not less than {@code least}
   * and not more than {@code greatest}.
   */
  abstract void scaleBySign(Vector x, double down, double up, double least, double greatest);

  /** this = 0 where x is negative. */
  abstract void clearWhereNegative(Vector x);

  /** this = this - sign(x) * y. */
  abstract void subtractSigned(Vector x, Vector y);
}
