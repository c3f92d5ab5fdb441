package io.hazelgrad.grid;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Elements in the memory of a device that is not the host's. Reading them copies them to the host,
 * and waits for the device. Single elements are read from a copy that is kept.
 *
 * <p>Threads: safe.
 */
public abstract non-sealed class DeviceStorage implements Storage {
  private final DType dtype;
  private final int length;
  private final Device device;
  private volatile @Nullable HeapStorage host;

  /** Creates the storage of {@code length} elements on a device. */
  protected DeviceStorage(DType dtype, int length, Device device) {
    this.dtype = dtype;
    this.length = length;
    this.device = device;
  }

  /** Returns the device whose memory holds the elements. */
  public final Device device() {
    return device;
  }

  /** Returns a tensor of these elements, on their device. */
  public final Tensor tensor(long... shape) {
    return new Tensor(this, shape);
  }

  /** Keeps what was copied from the host, so that reading single elements does not wait. */
  protected final void keepOnHost(Storage copied) {
    host = copied instanceof HeapStorage heap ? heap : new HeapStorage(dtype, copied.toArray());
  }

  /** A place for elements that are read. */
  @FunctionalInterface
  protected interface Target {
    /** Takes elements from {@code at} on: raw little-endian bytes, from index 0 on. */
    void take(int at, int count, ByteBuffer bytes);
  }

  /**
   * Reads elements, which are checked to be there. Several threads may bring parts to the target.
   */
  protected abstract void read(int from, int count, Target target);

  /**
   * Frees the memory. Using the elements afterwards is an {@link IllegalStateException}. Never
   * needed: memory of unreachable storages is freed, only later.
   */
  @Override
  public abstract void release();

  @Override
  public final DType dtype() {
    return dtype;
  }

  @Override
  public final int length() {
    return length;
  }

  @Override
  public final double getDouble(int index) {
    return host().getDouble(index);
  }

  @Override
  public final long getLong(int index) {
    return host().getLong(index);
  }

  private HeapStorage host() {
    HeapStorage copy = host;
    if (copy == null) {
      copy = copied();
      host = copy;
    }
    return copy;
  }

  private HeapStorage copied() {
    HeapStorage copy = HeapStorage.allocate(dtype, length);
    read(0, length, copy::set);
    return copy;
  }

  /** Returns a new array at each call: the elements themselves are not in a Java array. */
  @Override
  public final Object array() {
    return toArray();
  }

  @Override
  public final Object toArray() {
    HeapStorage copy = host;
    return copy == null ? copied().array() : copy.toArray();
  }

  @Override
  public final void copyTo(int from, int count, ByteBuffer target) {
    Objects.checkFromIndexSize(from, count, length);
    HeapStorage copy = host;
    if (copy != null) {
      copy.copyTo(from, count, target);
    } else {
      ByteBuffer all = target.slice();
      int each = dtype.bytes();
      read(from, count, (at, some, bytes) -> all.put((at - from) * each, bytes, 0, some * each));
      target.position(target.position() + count * each);
    }
  }

  @Override
  public final <R extends @Nullable Object> R borrow(Function<? super Buffer, R> use) {
    HeapStorage copy = host;
    return (copy == null ? copied() : copy).borrow(use);
  }
}
