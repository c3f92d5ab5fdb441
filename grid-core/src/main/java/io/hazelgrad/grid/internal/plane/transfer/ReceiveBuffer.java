package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.internal.plane.segment.SegmentFile;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The memory into which the elements of one tensor arrive: outside the heap for large tensors of
 * floating-point types if the pool has room, a Java array otherwise. A message can announce any
 * size, so {@link #open} allocates it only when the sender has shown that it has such a tensor.
 * Threads: {@link #open} before any other method; {@link #put} for different elements by any
 * thread.
 */
public final class ReceiveBuffer {
  private final DType dtype;
  private final int length;
  private final ReceiveBufferPool pool;
  private @Nullable ByteBuffer memory;
  private TensorBytes.@Nullable Pieces pieces;

  public ReceiveBuffer(DType dtype, int length, ReceiveBufferPool pool) {
    this.dtype = dtype;
    this.length = length;
    this.pool = pool;
  }

  public int length() {
    return length;
  }

  public int elementBytes() {
    return dtype.bytes();
  }

  /** Allocates the memory, unless that was done before. */
  public void open() {
    if (memory == null && pieces == null) {
      long bytes = (long) length * elementBytes();
      boolean isLarge = bytes >= ReceiveBufferPool.MIN_BYTES && bytes <= SegmentFile.MOST_BYTES;
      // Integers and booleans serve as indices and divisors; they are always on the heap.
      memory = isLarge && dtype.isFloating() ? pool.take(bytes) : null;
      pieces = memory == null ? TensorBytes.pieces(dtype, length) : null;
    }
  }

  /** Returns the memory from element {@code from} on; null if it is on the heap. */
  public @Nullable ByteBuffer target(int from) {
    ByteBuffer direct = memory;
    return direct == null
        ? null
        : direct.slice(from * elementBytes(), (length - from) * elementBytes());
  }

  /** Puts raw little-endian elements, from position to limit, at element {@code from}. */
  public void put(int from, ByteBuffer elements) {
    ByteBuffer direct = target(from);
    if (direct != null) {
      direct.put(elements);
    } else if (pieces != null) {
      pieces.put(from, elements);
    }
  }

  /** Returns the elements, once, when all have arrived. */
  public Storage storage() {
    open();
    if (pieces != null) {
      return pieces.storage();
    }
    ByteBuffer lent = Objects.requireNonNull(memory);
    memory = null;
    return TensorBytes.lent(dtype, lent.slice(0, length * elementBytes()), () -> pool.give(lent));
  }

  /** Gives the memory up, since not all elements will arrive. */
  public void abandon() {
    if (memory != null) {
      pool.forget(memory); // A late chunk may still be written to it.
      memory = null;
    }
  }
}
