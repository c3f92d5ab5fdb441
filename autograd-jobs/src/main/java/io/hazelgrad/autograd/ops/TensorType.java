package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/**
 * The element type and the shape of a tensor, without its elements. Shape rules compute with it.
 *
 * <p>Threads: immutable, hence safe.
 */
public final class TensorType {
  private static final int MAX_RANK = 32;

  /** The greatest length that every JVM allows for an array. */
  private static final long MAX_ELEMENTS = Integer.MAX_VALUE - 8;

  private final DType dtype;
  private final long[] shape;

  /**
   * Creates a type.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT if no tensor can have the shape: more than
   *     32 dimensions, a negative extent or more than 2^31 - 9 elements
   */
  public TensorType(DType dtype, long... shape) {
    this("tensor", dtype, shape);
  }

  /** Makes the type of the result of an operation. Error messages have the operation's name. */
  public TensorType(String operation, DType dtype, long... shape) {
    this.dtype = dtype;
    this.shape = shape.clone();
    if (shape.length > MAX_RANK) {
      throw OperationErrors.bad(operation, "a shape has at most 32 dimensions: " + shape.length);
    }
    double elements = 1;
    boolean countable = true;
    for (long extent : shape) {
      if (extent < 0) {
        throw OperationErrors.bad(operation, "negative extent: shape=" + Arrays.toString(shape));
      }
      elements *= extent;
      countable &= elements < Long.MAX_VALUE;
    }
    if (!countable || elements > MAX_ELEMENTS) {
      throw OperationErrors.bad(
          operation, "over 2^31 - 9 elements: shape=" + Arrays.toString(shape));
    }
  }

  /** Returns the type of a tensor. */
  public static TensorType of(Tensor tensor) {
    return new TensorType(tensor.dtype(), tensor.shape());
  }

  /** Returns the element type. */
  public DType dtype() {
    return dtype;
  }

  /** Returns a copy of the shape. */
  public long[] shape() {
    return shape.clone();
  }

  /** Returns the number of dimensions. */
  public int rank() {
    return shape.length;
  }

  /** Returns the extent of a dimension, {@code 0 <= dim < rank()}. */
  public long extent(int dim) {
    return shape[dim];
  }

  /** Returns the number of elements. */
  public int size() {
    return (int) Tensor.sizeOf(shape);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorType that
        && dtype == that.dtype
        && Arrays.equals(shape, that.shape);
  }

  @Override
  public int hashCode() {
    return 31 * dtype.hashCode() + Arrays.hashCode(shape);
  }

  /** Returns type and shape, such as {@code FLOAT64 [2, 3]}. */
  @Override
  public String toString() {
    return dtype + " " + Arrays.toString(shape);
  }
}
