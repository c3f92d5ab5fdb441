package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.BinaryOutput;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the wire form of values: fixed-width numbers are little-endian, lengths and counters are
 * varints (seven bits a byte, low ones first). {@link WireInput} has a reader for every writer.
 * Threads: not safe.
 */
public final class WireOutput implements BinaryOutput {
  private static final int MAX_SIZE = Integer.MAX_VALUE - 8;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Added to the code of a tensor's type if the elements travel beside the message. */
  static final int BESIDE = 0x10;

  /** Added to the code of a tensor's type if a device follows; without it is on the CPU. */
  static final int ON_DEVICE = 0x20;

  private final @Nullable TensorSink beside;
  private @Nullable DeviceMap devices;
  private byte[] buffer;
  private int size;

  /** Makes an empty output. */
  public WireOutput() {
    this(128);
  }

  /** Makes an empty output with room for so many bytes. */
  public WireOutput(int capacity) {
    this(capacity, null);
  }

  /** Makes an empty output for a message; the sink may take the elements of its tensors. */
  public WireOutput(int capacity, @Nullable TensorSink beside) {
    this.buffer = new byte[capacity];
    this.beside = beside;
  }

  /** Returns all that was written. The array may be the buffer itself: write nothing after. */
  public byte[] toBytes() {
    return size == buffer.length ? buffer : Arrays.copyOf(buffer, size);
  }

  /** Returns the number of bytes written. */
  public int size() {
    return size;
  }

  /** Sets where tensors go; without it only those on the CPU can be written. */
  public WireOutput devices(@Nullable DeviceMap map) {
    devices = map;
    return this;
  }

  private Device target(Device source) {
    if (devices != null) {
      return devices.target(source);
    }
    if (source.isCpu()) {
      return source;
    }
    throw DeviceMap.missing(source, "here");
  }

  @Override
  public WireOutput int8(int value) {
    room(1);
    buffer[size++] = (byte) value;
    return this;
  }

  @Override
  public WireOutput bool(boolean value) {
    return int8(value ? 1 : 0);
  }

  @Override
  public WireOutput int32(int value) {
    room(4);
    INT.set(buffer, size, value);
    size += 4;
    return this;
  }

  @Override
  public WireOutput int64(long value) {
    room(8);
    LONG.set(buffer, size, value);
    size += 8;
    return this;
  }

  @Override
  public WireOutput float64(double value) {
    return int64(Double.doubleToRawLongBits(value));
  }

  @Override
  public WireOutput varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      int8((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return int8((int) rest);
  }

  /** Writes a string: its length in bytes, then UTF-8. Half a surrogate pair becomes "?". */
  @Override
  public WireOutput utf(String value) {
    Utf8.write(value, this, '?');
    return this;
  }

  /** Writes a string as {@link #utf} does; writes nothing if it has half a surrogate pair. */
  public boolean tryUtf(String value) {
    return Utf8.write(value, this, Utf8.REFUSE);
  }

  @Override
  public WireOutput bytes(byte[] value) {
    varint(value.length);
    room(value.length);
    System.arraycopy(value, 0, buffer, size, value.length);
    size += value.length;
    return this;
  }

  @Override
  public WireOutput uuid(UUID value) {
    return int64(value.getMostSignificantBits()).int64(value.getLeastSignificantBits());
  }

  /**
   * Writes element type, shape, and the raw little-endian elements row by row; if they travel
   * beside the message, where they are found in place of the elements.
   */
  @Override
  public WireOutput tensor(Tensor value) {
    DType dtype = value.dtype();
    Device target = target(value.device());
    int start = size;
    if (target.isCpu()) {
      int8(dtype.code());
    } else {
      int8(dtype.code() | ON_DEVICE).utf(target.toString());
    }
    long[] shape = value.shape();
    varint(shape.length);
    for (long extent : shape) {
      varint(extent);
    }
    if (beside != null && beside.put(value.storage(), this)) {
      buffer[start] |= BESIDE;
      return this;
    }
    long bytes = (long) value.size() * dtype.bytes();
    value.storage().copyTo(space((int) Math.min(bytes, Integer.MAX_VALUE)));
    return this;
  }

  /**
   * Counts bytes as written and returns them, little-endian, to be filled before more is written.
   */
  public ByteBuffer space(int count) {
    room(count);
    ByteBuffer view = ByteBuffer.wrap(buffer, size, count).slice().order(ByteOrder.LITTLE_ENDIAN);
    size += count;
    return view;
  }

  /** Leaves four bytes free, for {@link #fill}; returns where they are. */
  public int gap() {
    int32(0);
    return size - 4;
  }

  /** Writes the number that a gap was left for. */
  public void fill(int gap, int value) {
    INT.set(buffer, gap, value);
  }

  /** Makes room for {@code count} more bytes and returns the buffer. */
  byte[] room(int count) {
    if (buffer.length - size < count) {
      long wanted = (long) size + count;
      if (wanted > MAX_SIZE) {
        throw new GridException(
            Status.BAD_VALUE,
            "a message holds at most " + MAX_SIZE + " bytes, needs at least " + wanted);
      }
      long doubled = Math.min(buffer.length * 2L, MAX_SIZE);
      buffer = Arrays.copyOf(buffer, (int) Math.max(wanted, doubled));
    }
    return buffer;
  }

  /** Takes back what was written after the first {@code length} bytes. */
  public void cut(int length) {
    size = Math.min(size, Math.max(0, length));
  }

  /** Moves the end, for what was written to the buffer directly, or to be written again. */
  void size(int newSize) {
    size = newSize;
  }
}
