package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.internal.plane.segment.SegmentFile;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the elements of a tensor arrive: large ones of floating-point types outside the heap, if
 * there is room, all others in a Java array. The memory is taken when it is first needed: the JVM
 * clears arrays, which takes a while, and so the request for the elements should be on its way
 * before.
 *
 * <p>Threads: {@link #open} before any other; {@link #put} for different elements by any.
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

  /** Returns the number of elements. */
  public int length() {
    return length;
  }

  /** Returns the bytes of one element. */
  public int each() {
    return dtype.bytes();
  }

  /** Takes the memory, if that was not done yet. */
  public void open() {
    long bytes = (long) length * each();
    if (memory == null && pieces == null) {
      // Integers and booleans are used as indices and divisors; they are always on the heap.
      memory =
          dtype.isFloating()
                  && bytes >= ReceiveBufferPool.LEAST_BYTES
                  && bytes <= SegmentFile.MOST_BYTES
              ? pool.take(bytes)
              : null;
      pieces = memory == null ? TensorBytes.pieces(dtype, length) : null;
    }
  }

  /** Returns where element {@code from} and those after it may be written; null on the heap. */
  public @Nullable ByteBuffer target(int from) {
    ByteBuffer there = memory;
    return there == null ? null : there.slice(from * each(), (length - from) * each());
  }

  /** Puts the raw little-endian elements between position and limit at element {@code from}. */
  public void put(int from, ByteBuffer elements) {
    ByteBuffer there = target(from);
    if (there != null) {
      there.put(elements);
    } else if (pieces != null) {
      pieces.put(from, elements);
    }
  }

  /** Returns the elements when all are there. Once. */
  public Storage storage() {
    open();
    ByteBuffer there = memory;
    TensorBytes.Pieces array = pieces;
    if (there == null && array != null) {
      return array.storage();
    }
    ByteBuffer lent = Objects.requireNonNull(there);
    memory = null;
    return TensorBytes.lent(dtype, lent.slice(0, length * each()), () -> pool.give(lent));
  }

  /** The elements will not come, or not all of them. */
  public void abandon() {
    ByteBuffer there = memory;
    if (there != null) {
      pool.forget(there); // A chunk may still arrive there.
      memory = null;
    }
  }
}
