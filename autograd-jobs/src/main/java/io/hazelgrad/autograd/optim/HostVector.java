package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.lang.reflect.Array;

/**
 * A {@link Vector} in a Java array. A window that is not the whole array is a copy, which {@link
 * #store} writes back.
 */
abstract sealed class HostVector extends Vector permits FloatVector, DoubleVector {
  /** All elements: a {@code float[]} or {@code double[]}. */
  Object all;

  /** The window's elements: {@link #all} itself, or a copy of a part of it. */
  Object block;

  private int size;
  private int from;
  private int count;

  HostVector(Object all) {
    setAll(all);
  }

  /** Returns a vector over the elements of a tensor: FLOAT64 as they are, others as FLOAT32. */
  static HostVector over(Tensor tensor) {
    return tensor.dtype() == DType.FLOAT64
        ? new DoubleVector((double[]) tensor.storage().array())
        : new FloatVector(
            tensor.dtype() == DType.FLOAT32
                ? (float[]) tensor.storage().array()
                : tensor.toFloats());
  }

  /** Returns a vector over a copy of the elements of a tensor, of the types of {@link #over}. */
  static HostVector copyOf(Tensor tensor) {
    return tensor.dtype() == DType.FLOAT64
        ? new DoubleVector(tensor.toDoubles())
        : new FloatVector(tensor.toFloats());
  }

  /** Returns a vector without elements, of the element type for tensors of this type. */
  static HostVector empty(DType dtype) {
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

  @Override
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

  @Override
  final void store() {
    if (block != all) {
      System.arraycopy(block, 0, all, from, count);
    }
  }

  @Override
  final int size() {
    return size;
  }

  /** Returns the number of elements of the window. */
  final int count() {
    return count;
  }

  private Object allocate(int length) {
    return Array.newInstance(all.getClass().getComponentType(), length);
  }

  @Override
  final void fill(int length, double value) {
    setAll(allocate(length));
    apply(Op.ADD_SCALAR, value);
  }

  @Override
  final void load(Tensor tensor) {
    setAll(all instanceof float[] ? tensor.toFloats() : tensor.toDoubles());
  }

  @Override
  final Tensor toTensor(long... shape) {
    return all instanceof float[] floats
        ? Tensor.wrap(floats, shape)
        : Tensor.wrap((double[]) all, shape);
  }

  @Override
  final double first() {
    return Array.getDouble(block, 0);
  }

  @Override
  final Tensor copy(long... shape) {
    return copyOf(toTensor(shape)).toTensor(shape);
  }
}
