package io.hazelgrad.grid;

import java.nio.ByteBuffer;

/** Makes tensors from bytes, for the wire. */
public final class Tensors {
  private Tensors() {}

  /**
   * Reads {@code size} raw little-endian elements at the position of {@code source}, and moves it.
   */
  public static Tensor read(DType dtype, long[] shape, int size, ByteBuffer source) {
    return Tensor.over(HeapStorage.read(dtype, size, source), shape);
  }

  /**
   * Makes a tensor of any type over a Java array of the kind that {@link Storage#array()} names,
   * which nobody may change any more. For backends.
   */
  public static Tensor wrap(DType dtype, Object array, long... shape) {
    return Tensor.over(new HeapStorage(dtype, array), shape);
  }
}
