package io.hazelgrad.grid;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a {@link Tensor}, in row-major order. A storage never changes once a tensor holds
 * it, so tensors may share it. Threads: safe.
 *
 * <p>The elements lie in a Java array, or in memory that is lent: a tensor that came from another
 * process of this host is used where that process put it. Lent memory is given back when {@link
 * #array()} has made a copy, by {@link #release()}, or when no tensor over it is reachable. The
 * elements of a tensor on a GPU lie in its memory, see {@link DeviceStorage}.
 */
public sealed interface Storage permits HeapStorage, SharedStorage, DeviceStorage {
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
   * tensor that shares it. Elements in lent memory are copied into such an array at the first call;
   * {@link #toArray}, {@link #copyTo} and {@link #borrow} do without that. Elements on a device are
   * copied at every call.
   */
  Object array();

  /** Returns a new Java array of the kind that {@link #array()} names, with a copy of all. */
  Object toArray();

  /** Appends the raw little-endian bytes of all elements to {@code target}. */
  default void copyTo(ByteBuffer target) {
    copyTo(0, length(), target);
  }

  /** Appends the raw little-endian bytes of {@code count} elements from {@code from} on. */
  void copyTo(int from, int count, ByteBuffer target);

  /**
   * Lends a read-only view of the elements, without a copy: a {@code DoubleBuffer}, {@code
   * FloatBuffer}, {@code LongBuffer}, {@code IntBuffer}, {@code ShortBuffer} or {@code ByteBuffer},
   * as {@link #array()} has arrays. The view is valid until {@code use} returns, not longer.
   */
  <R extends @Nullable Object> R borrow(Function<? super Buffer, R> use);

  /** Returns whether the elements lie in lent memory. */
  default boolean isLent() {
    return false;
  }

  /**
   * Gives lent memory back early. Using the elements afterwards is an {@link
   * IllegalStateException}. Elements in a Java array stay, also those that {@link #array()} has
   * copied before.
   */
  default void release() {}

  /** As {@link #release()}, later: see {@link Tensor#releaseWhenSent()}. */
  default void releaseWhenSent() {}

  /** Returns whether {@link #releaseWhenSent} was called, and there is something to give back. */
  default boolean isReleasedWhenSent() {
    return false;
  }
}
