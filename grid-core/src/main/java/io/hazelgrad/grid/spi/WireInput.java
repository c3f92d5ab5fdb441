package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.BinaryInput;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link WireOutput} wrote. Every read checks its bounds first: damaged bytes end in
 * {@link Status#BAD_VALUE}, never in an allocation larger than the input or in reading beyond it.
 * Threads: not safe.
 */
public final class WireInput implements BinaryInput {
  /** The longest name of a device. */
  private static final int MAX_DEVICE = 8;

  private final ByteBuffer buffer;
  private @Nullable LocalDevices devices;
  private final @Nullable TensorSource beside;

  /** Reads from an array, which nobody may change meanwhile. */
  public WireInput(byte[] bytes) {
    this(bytes, null);
  }

  /** Reads a message; the source has the elements of tensors that travelled beside it. */
  public WireInput(byte[] bytes, @Nullable TensorSource beside) {
    this.beside = beside;
    buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public int remaining() {
    return buffer.remaining();
  }

  @Override
  public byte int8() {
    return need(1).get();
  }

  @Override
  public boolean bool() {
    byte value = int8();
    if (value != 0 && value != 1) {
      throw damaged("a boolean is 0 or 1, got " + value);
    }
    return value == 1;
  }

  @Override
  public int int32() {
    return need(4).getInt();
  }

  @Override
  public long int64() {
    return need(8).getLong();
  }

  @Override
  public double float64() {
    return need(8).getDouble();
  }

  @Override
  public long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = int8();
      if (shift == 63 && next != 0 && next != 1) {
        break;
      }
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw damaged("a varint of more than 64 bits");
  }

  @Override
  public int count(int bytesEach) {
    long count = varint();
    if (count < 0 || count > remaining() / Math.max(1, bytesEach)) {
      throw damaged("count=" + count + " of " + bytesEach + " bytes or more each");
    }
    return (int) count;
  }

  @Override
  public String utf() {
    return utf(Integer.MAX_VALUE);
  }

  /** Reads a string of at most {@code max} bytes. */
  public String utf(int max) {
    int count = count(1);
    if (count > max) {
      throw damaged("a string of " + count + " bytes, where " + max + " are allowed");
    }
    int start = buffer.position();
    buffer.position(start + count);
    return new String(buffer.array(), buffer.arrayOffset() + start, count, StandardCharsets.UTF_8);
  }

  @Override
  public byte[] bytes() {
    byte[] value = new byte[count(1)];
    buffer.get(value);
    return value;
  }

  /** Reads {@code count} raw bytes as a read-only, little-endian view. No copy. */
  public ByteBuffer view(int count) {
    if (count < 0) {
      throw damaged("a length of " + count);
    }
    ByteBuffer view = need(count).slice(buffer.position(), count).asReadOnlyBuffer();
    buffer.position(buffer.position() + count);
    return view.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Limits reading to the next {@code count} bytes; returns what {@link #close} needs. */
  public int open(int count) {
    if (count < 0) {
      throw damaged("a length of " + count);
    }
    int outer = need(count).limit();
    buffer.limit(buffer.position() + count);
    return outer;
  }

  /** Ends what {@link #open} began, and checks that all of it was read. */
  public void close(int outer) {
    end();
    buffer.limit(outer);
  }

  @Override
  public UUID uuid() {
    return new UUID(int64(), int64());
  }

  @Override
  public Tensor tensor() {
    int code = int8();
    boolean isBeside = (code & WireOutput.BESIDE) != 0;
    DType dtype = DType.ofCode(code & ~(WireOutput.BESIDE | WireOutput.ON_DEVICE));
    if (dtype == null || (isBeside && beside == null)) {
      throw damaged("element type " + code);
    }
    Device device = (code & WireOutput.ON_DEVICE) != 0 ? device() : Device.CPU;
    int rank = count(1);
    if (rank > Tensor.MAX_RANK) {
      throw damaged("a tensor of " + rank + " dimensions");
    }
    long[] shape = new long[rank];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = varint();
    }
    long size;
    try {
      size = Tensor.sizeOf(shape);
    } catch (IllegalArgumentException e) {
      throw damaged(e.getMessage());
    }
    if (isBeside && beside != null && size <= Integer.MAX_VALUE - 8) {
      return TensorBytes.over(beside.get(dtype, (int) size, this), shape).to(device);
    }
    if (isBeside || size > remaining() / dtype.bytes()) {
      throw damaged("a tensor of " + size + " elements of " + dtype);
    }
    Tensor tensor = TensorBytes.read(dtype, shape, (int) size, buffer);
    if (dtype == DType.BOOL) {
      checkBooleans((byte[]) tensor.storage().array());
    }
    return tensor.to(device);
  }

  /** Checks that the elements of a tensor of booleans are 0 or 1. */
  public void checkBooleans(byte[] elements) {
    for (byte element : elements) {
      if (element != 0 && element != 1) {
        throw damaged("a boolean is 0 or 1, got " + element);
      }
    }
  }

  /** Sets which devices tensors may arrive on; without it only the CPU. */
  public WireInput devices(@Nullable LocalDevices local) {
    devices = local;
    return this;
  }

  private Device device() {
    Device device;
    try {
      device = Device.parse(utf(MAX_DEVICE));
    } catch (IllegalArgumentException e) {
      throw damaged(e.getMessage());
    }
    if (devices == null || !devices.devices().contains(device)) {
      throw new GridException(
          Status.BAD_VALUE,
          "a tensor was sent to " + device + ", which this worker has not declared");
    }
    return device;
  }

  /** Checks that all was read. */
  public void end() {
    if (remaining() != 0) {
      throw damaged(remaining() + " bytes too many");
    }
  }

  @Override
  public GridException damaged(@Nullable String what) {
    return new GridException(
        Status.BAD_VALUE,
        "damaged bytes at offset " + buffer.position() + " of " + buffer.limit() + ": " + what);
  }

  private ByteBuffer need(int count) {
    if (buffer.remaining() < count) {
      throw damaged("needs " + count + " more bytes, has " + buffer.remaining());
    }
    return buffer;
  }
}
