package io.hazelgrad.grid.plane;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensors;
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
final class Landing {
  private final DType dtype;
  private final int length;
  private final LandingPool pool;
  private @Nullable ByteBuffer memory;
  private Tensors.@Nullable Pieces pieces;

  Landing(DType dtype, int length, LandingPool pool) {
    this.dtype = dtype;
    this.length = length;
    this.pool = pool;
  }

  /** Returns the number of elements. */
  int length() {
    return length;
  }

  /** Returns the bytes of one element. */
  int each() {
    return dtype.bytes();
  }

  /** Takes the memory, if that was not done yet. */
  void open() {
    long bytes = (long) length * each();
    if (memory == null && pieces == null) {
      // Integers and booleans are used as indices and divisors; they are always on the heap.
      memory =
          dtype.isFloating() && bytes >= LandingPool.LEAST_BYTES && bytes <= SegmentFile.MOST_BYTES
              ? pool.take(bytes)
              : null;
      pieces = memory == null ? Tensors.pieces(dtype, length) : null;
    }
  }

  /** Returns where element {@code from} and those after it may be written; null on the heap. */
  @Nullable ByteBuffer target(int from) {
    ByteBuffer there = memory;
    return there == null ? null : there.slice(from * each(), (length - from) * each());
  }

  /** Puts the raw little-endian elements between position and limit at element {@code from}. */
  void put(int from, ByteBuffer elements) {
    ByteBuffer there = target(from);
    if (there != null) {
      there.put(elements);
    } else if (pieces != null) {
      pieces.put(from, elements);
    }
  }

  /** Returns the elements when all are there. Once. */
  Storage storage() {
    open();
    ByteBuffer there = memory;
    Tensors.Pieces array = pieces;
    if (there == null && array != null) {
      return array.storage();
    }
    ByteBuffer lent = Objects.requireNonNull(there);
    memory = null;
    return Tensors.lent(dtype, lent.slice(0, length * each()), () -> pool.give(lent));
  }

  /** The elements will not come, or not all of them. */
  void abandon() {
    ByteBuffer there = memory;
    if (there != null) {
      pool.forget(there); // A chunk may still arrive there.
      memory = null;
    }
  }
}
