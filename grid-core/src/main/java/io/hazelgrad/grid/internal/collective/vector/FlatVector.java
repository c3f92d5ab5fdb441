package io.hazelgrad.grid.internal.collective.vector;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A vector of raw little-endian elements between the members of a host and other hosts. */
public final class FlatVector implements ElementBuffer {
  private final DType dtype;
  private final ByteBuffer bytes;

  public FlatVector(DType dtype, int length) {
    long size = (long) length * dtype.bytes();
    if (size > Integer.MAX_VALUE - 8) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "a round between hosts moves less than 2 GiB, not %,d bytes".formatted(size));
    }
    this.dtype = dtype;
    this.bytes = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns a view of elements. */
  public ByteBuffer slice(int from, int count) {
    int size = dtype.bytes();
    return bytes.slice(from * size, count * size).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void copyTo(int from, int count, ByteBuffer target) {
    target.put(slice(from, count));
  }

  @Override
  public void put(int from, ByteBuffer elements) {
    bytes.duplicate().position(from * dtype.bytes()).put(elements);
  }
}
