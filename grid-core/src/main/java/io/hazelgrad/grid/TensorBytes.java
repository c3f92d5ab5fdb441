package io.hazelgrad.grid;

import java.nio.ByteBuffer;

/** Makes tensors from bytes, for the wire. */
public final class TensorBytes {
  private TensorBytes() {}

  /** Reads {@code size} raw little-endian elements at the position of the source, and moves it. */
  public static Tensor read(DType dtype, long[] shape, int size, ByteBuffer source) {
    return new Tensor(HeapStorage.read(dtype, size, source), shape);
  }

  /** Makes a tensor over a Java array as {@link Storage#array()} returns, which never changes. */
  public static Tensor wrap(DType dtype, Object array, long... shape) {
    return new Tensor(new HeapStorage(dtype, array), shape);
  }

  /** Makes a tensor over a storage. */
  public static Tensor over(Storage storage, long... shape) {
    return new Tensor(storage, shape);
  }

  /** Reads a storage from the raw little-endian elements between position and limit. */
  public static Storage copied(DType dtype, ByteBuffer bytes) {
    return HeapStorage.read(dtype, bytes.remaining() / dtype.bytes(), bytes);
  }

  /**
   * Makes a storage over direct memory that is lent until {@code giveBack} runs, once and on any
   * thread; it neither blocks nor throws. The raw little-endian elements, from 0 to the limit, do
   * not change before.
   */
  public static Storage lent(DType dtype, ByteBuffer bytes, Runnable giveBack) {
    return new SharedStorage(dtype, bytes, giveBack);
  }

  /** Returns the same elements for a user who releases them separately from their holder. */
  public static Storage retained(Storage storage) {
    return storage instanceof SharedStorage lent ? lent.retained() : storage;
  }

  /** Returns the elements of a storage in a Java array of their own. */
  public static Storage onHeap(Storage storage) {
    return new HeapStorage(storage.dtype(), storage.toArray());
  }

  /** Makes room for elements that arrive piece by piece. */
  public static Pieces pieces(DType dtype, int length) {
    return new Pieces(HeapStorage.allocate(dtype, length));
  }

  /** Returns the elements of a Java array, as {@link #wrap} takes it, to be overwritten. */
  public static Pieces pieces(DType dtype, Object array) {
    return new Pieces(new HeapStorage(dtype, array));
  }

  /** A storage that is being filled. Threads: safe for pieces that do not overlap. */
  public static final class Pieces {
    private final HeapStorage storage;

    private Pieces(HeapStorage storage) {
      this.storage = storage;
    }

    /** Puts the raw little-endian elements between position and limit at element {@code from}. */
    public void put(int from, ByteBuffer bytes) {
      storage.set(from, bytes.remaining() / storage.dtype().bytes(), bytes);
    }

    /** Returns the storage when all pieces are there. */
    public Storage storage() {
      return storage;
    }
  }
}
