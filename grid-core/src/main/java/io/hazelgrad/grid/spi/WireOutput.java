package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the wire form of values: fixed-width numbers are little-endian, lengths and counters are
 * varints (seven bits a byte, low ones first). {@link WireInput} has a reader for every writer.
 *
 * <p>Threads: not safe.
 */
public final class WireOutput {
  private static final int MAX_SIZE = Integer.MAX_VALUE - 8;

  /** Added to the code of a tensor's type if the elements travel beside the message. */
  static final int BESIDE = 0x10;

  private final @Nullable TensorSink beside;
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

  /** Returns a copy of all that was written. */
  public byte[] toBytes() {
    return Arrays.copyOf(buffer, size);
  }

  /** Returns the number of bytes written. */
  public int size() {
    return size;
  }

  /** Writes one byte. */
  public WireOutput int8(int value) {
    room(1);
    buffer[size++] = (byte) value;
    return this;
  }

  /** Writes a boolean as one byte. */
  public WireOutput bool(boolean value) {
    return int8(value ? 1 : 0);
  }

  /** Writes four bytes. */
  public WireOutput int32(int value) {
    next(4).putInt(value);
    return this;
  }

  /** Writes eight bytes. */
  public WireOutput int64(long value) {
    next(8).putLong(value);
    return this;
  }

  /** Writes eight bytes. */
  public WireOutput float64(double value) {
    return int64(Double.doubleToRawLongBits(value));
  }

  /** Writes a number in one to ten bytes; small ones that are not negative take least. */
  public WireOutput varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      int8((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return int8((int) rest);
  }

  /** Writes a string: its length in bytes, then UTF-8. */
  public WireOutput utf(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes an array of bytes with its length. */
  public WireOutput bytes(byte[] value) {
    varint(value.length);
    room(value.length);
    System.arraycopy(value, 0, buffer, size, value.length);
    size += value.length;
    return this;
  }

  /** Writes sixteen bytes. */
  public WireOutput uuid(UUID value) {
    return int64(value.getMostSignificantBits()).int64(value.getLeastSignificantBits());
  }

  /**
   * Writes element type, shape, and the raw little-endian elements row by row; or, in place of the
   * elements, where they are found, if they travel beside the message.
   */
  public WireOutput tensor(Tensor value) {
    DType dtype = value.dtype();
    int start = size;
    int8(dtype.code());
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
    value.storage().copyTo(next((int) Math.min(bytes, Integer.MAX_VALUE)));
    return this;
  }

  /** Makes room for {@code count} bytes, counts them as written, and returns them for filling. */
  private ByteBuffer next(int count) {
    room(count);
    ByteBuffer view = ByteBuffer.wrap(buffer, size, count).slice().order(ByteOrder.LITTLE_ENDIAN);
    size += count;
    return view;
  }

  private void room(int count) {
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
  }
}
