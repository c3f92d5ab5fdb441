package io.hazelgrad.grid;

import java.nio.ByteBuffer;

/**
 * Where the elements of a {@link Tensor} lie, in row-major order. A storage never changes once a
 * tensor holds it, so tensors may share it.
 */
public sealed interface Storage permits HeapStorage {
  /** Returns the element type. */
  DType dtype();

  /** Returns the number of elements. */
  int length();

  /** Returns element {@code index} as a double; booleans read as 0 or 1. */
  double getDouble(int index);

  /** Returns element {@code index} as a long; floating-point elements are cut off. */
  long getLong(int index);

  /**
   * Returns the live Java array that holds the elements: {@code double[]}, {@code float[]}, {@code
   * long[]}, {@code int[]}, {@code short[]} (also for the 16-bit floating types) or {@code byte[]}
   * (also for UINT8 and BOOL). For arithmetic without a copy; whoever changes it breaks every
   * tensor that shares it.
   */
  Object array();

  /** Appends the raw little-endian bytes of all elements to {@code target}. */
  void copyTo(ByteBuffer target);
}
