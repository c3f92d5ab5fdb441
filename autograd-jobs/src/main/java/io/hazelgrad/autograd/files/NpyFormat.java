package io.hazelgrad.autograd.files;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * NumPy's format for one array: a magic number, a version, the length of the header, the header (a
 * Python dictionary with the element type, the order and the shape), and the raw elements.
 */
final class NpyFormat {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int ALIGNMENT = 64;
  private static final int MAX_HEADER = 1 << 16;

  private static final Map<String, DType> TYPES =
      new TreeMap<>(
          Map.of(
              "f8", DType.FLOAT64,
              "f4", DType.FLOAT32,
              "f2", DType.FLOAT16,
              "i8", DType.INT64,
              "i4", DType.INT32,
              "i2", DType.INT16,
              "i1", DType.INT8,
              "u1", DType.UINT8,
              "b1", DType.BOOL));

  private static final Pattern DESCR = Pattern.compile("['\"]descr['\"]\\s*:\\s*['\"]([^'\"]*)");
  private static final Pattern ORDER =
      Pattern.compile("['\"]fortran_order['\"]\\s*:\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("['\"]shape['\"]\\s*:\\s*\\(([0-9, ]*)\\)");

  private final String what;
  private final InputStream in;
  private long left;

  private NpyFormat(String what, InputStream in, long length) {
    this.what = what;
    this.in = in;
    this.left = length;
  }

  /**
   * Reads an array. Nothing larger than the given length is allocated.
   *
   * @param what a name for errors
   * @param length the number of bytes, which the array must have exactly
   */
  static Tensor read(String what, InputStream in, long length) throws IOException {
    return new NpyFormat(what, in, length).read();
  }

  private Tensor read() throws IOException {
    byte[] start = bytes(MAGIC.length + 2);
    if (!Arrays.equals(Arrays.copyOf(start, MAGIC.length), MAGIC)) {
      throw bad("is no NumPy array: it does not begin as one");
    }
    int version = start[MAGIC.length];
    if (version < 1 || version > 3) {
      throw bad("has the version " + version + "; 1, 2 and 3 are read");
    }
    ByteBuffer length = ByteBuffer.wrap(bytes(version == 1 ? 2 : 4)).order(ByteOrder.LITTLE_ENDIAN);
    long size = version == 1 ? length.getShort() & 0xffff : length.getInt() & 0xffffffffL;
    if (size > Math.min(left, MAX_HEADER)) {
      throw bad("says that its header has " + size + " bytes; " + left + " are left");
    }
    String header = new String(bytes((int) size), StandardCharsets.UTF_8);
    String descr = find(DESCR, header, "descr");
    DType dtype = dtype(descr);
    long[] shape = shape(find(SHAPE, header, "shape"));
    boolean columns = find(ORDER, header, "fortran_order").equals("True");
    long elements = elements(shape);
    if (elements * dtype.bytes() != left) {
      throw bad(
          "has the shape %s of %s, but %d bytes of elements"
              .formatted(Arrays.toString(shape), dtype, left));
    }
    long[] stored = columns ? reversed(shape) : shape;
    Tensor tensor = elements(dtype, (int) elements, stored, descr.startsWith(">"));
    return columns && shape.length > 1 ? transposed(tensor) : tensor;
  }

  private String find(Pattern pattern, String header, String key) {
    Matcher matcher = pattern.matcher(header);
    if (!matcher.find()) {
      throw bad("has no " + key + " that is read here in its header: " + header.strip());
    }
    return Objects.requireNonNull(matcher.group(1));
  }

  private DType dtype(String descr) {
    DType dtype = descr.matches("[<>|=].*") ? TYPES.get(descr.substring(1)) : null;
    if (dtype == null || descr.startsWith("=")) {
      throw bad("has elements of the type " + descr + "; these are read: " + TYPES.keySet());
    }
    return dtype;
  }

  private long[] shape(String text) {
    try {
      return Arrays.stream(text.split(","))
          .map(String::strip)
          .filter(extent -> !extent.isEmpty())
          .mapToLong(Long::parseLong)
          .toArray();
    } catch (NumberFormatException e) {
      throw bad("has the shape (" + text + ")");
    }
  }

  private long elements(long[] shape) {
    long elements = shape.length > Tensor.MAX_RANK ? -1 : SafeTensorsReader.size(shape, left);
    if (elements < 0) {
      throw bad("has the shape " + Arrays.toString(shape) + " in " + left + " bytes");
    }
    return elements;
  }

  private Tensor elements(DType dtype, int size, long[] shape, boolean bigEndian)
      throws IOException {
    TensorBytes.Pieces pieces = TensorBytes.pieces(dtype, size);
    SafeTensors.inChunks(
        dtype,
        size,
        (from, count) -> {
          byte[] chunk = bytes(count * dtype.bytes());
          if (bigEndian) {
            reverse(chunk, dtype.bytes());
          }
          for (int i = 0; dtype == DType.BOOL && i < chunk.length; i++) {
            if (chunk[i] != 0 && chunk[i] != 1) {
              throw bad("has the boolean " + chunk[i] + "; it must be 0 or 1");
            }
          }
          pieces.put(from, ByteBuffer.wrap(chunk));
        });
    return TensorBytes.over(pieces.storage(), shape);
  }

  private static void reverse(byte[] bytes, int width) {
    for (int at = 0; at < bytes.length; at += width) {
      for (int i = 0; i < width / 2; i++) {
        byte swapped = bytes[at + i];
        bytes[at + i] = bytes[at + width - 1 - i];
        bytes[at + width - 1 - i] = swapped;
      }
    }
  }

  private static long[] reversed(long[] shape) {
    long[] reversed = new long[shape.length];
    Arrays.setAll(reversed, i -> shape[shape.length - 1 - i]);
    return reversed;
  }

  private static Tensor transposed(Tensor x) {
    int[] order = IntStream.range(0, x.rank()).map(dim -> x.rank() - 1 - dim).toArray();
    return Variable.apply("permute", Attributes.of("dims", order), Variable.of(x)).value();
  }

  private byte[] bytes(int count) throws IOException {
    byte[] bytes = count > left ? new byte[0] : in.readNBytes(count);
    if (bytes.length < count) {
      throw bad("is shorter than it says");
    }
    left -= count;
    return bytes;
  }

  private GridException bad(String message) {
    return new GridException(Status.BAD_VALUE, what + " " + message);
  }

  /** Writes an array, version 1.0, row by row, little-endian. */
  static void write(Tensor tensor, OutputStream out) throws IOException {
    out.write(header(tensor));
    byte[] chunk = new byte[SafeTensors.CHUNK];
    SafeTensors.inChunks(
        tensor.dtype(),
        tensor.size(),
        (from, count) -> {
          ByteBuffer buffer = ByteBuffer.wrap(chunk).order(ByteOrder.LITTLE_ENDIAN);
          tensor.storage().copyTo(from, count, buffer);
          out.write(chunk, 0, buffer.position());
        });
  }

  private static byte[] header(Tensor tensor) {
    DType dtype = tensor.dtype();
    @Nullable String type =
        TYPES.entrySet().stream()
            .filter(entry -> entry.getValue() == dtype)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(null);
    if (type == null) {
      throw new GridException(
          Status.BAD_ARGUMENT, "NumPy has no " + dtype + "; convert it with to(DType.FLOAT32)");
    }
    String extents =
        Arrays.stream(tensor.shape()).mapToObj(Long::toString).collect(Collectors.joining(", "));
    String text =
        "{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }"
            .formatted(
                dtype.bytes() == 1 ? '|' : '<', type, extents + (tensor.rank() == 1 ? "," : ""));
    int start = MAGIC.length + 4;
    int length = (start + text.length() + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    ByteBuffer header = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) (length - start));
    header.put(text.getBytes(StandardCharsets.US_ASCII));
    while (header.position() < length - 1) {
      header.put((byte) ' ');
    }
    return header.put((byte) '\n').array();
  }
}
