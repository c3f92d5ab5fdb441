package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/**
 * The arithmetic of optimizers in the memory of a device. It changes tensors that nobody but its
 * caller has. Every operation rounds its numbers and its result to the element type, as torch does.
 *
 * <p>Threads: implementations must be safe for use by many threads at once.
 */
public interface InPlaceKernels {
  /** The new element d' from d, the numbers a and b, and the elements x and y. */
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
    SUBTRACT_SIGNED,
    /** d' = d * b where x is positive, d * a where it is negative, d elsewhere. */
    SCALE_BY_SIGN,
    /** d' = min(max(d, a), b). */
    LIMIT
  }

  /**
   * An operation on all elements of a tensor.
   *
   * @param d the tensor that changes
   */
  record Step(Op op, double a, double b, Tensor d, Tensor x, Tensor y) {}

  /** Returns a tensor on the device whose elements have any values. */
  Tensor allocate(DType dtype, long... shape);

  /**
   * Does steps one after the other.
   *
   * @param steps of tensors on the device, all of one size and of one type, FLOAT32 or FLOAT64
   */
  void run(List<Step> steps);
}
