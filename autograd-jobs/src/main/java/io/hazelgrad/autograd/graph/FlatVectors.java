package io.hazelgrad.autograd.graph;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.nd4j.graph.FlatArray;

/**
 * Reads vectors of a FlatBuffers message. Their lengths are not trusted, and several offsets may
 * lead to one vector. All lengths together may therefore not exceed four times the size of the
 * message.
 */
final class FlatVectors {
  /** SameDiff writes ids and names more than once, and this package reads them more than once. */
  private static final int READS = 4;

  private static final int MAX_NAME = 1024;

  private static final long ROW_MAJOR = 99;
  private static final long COLUMN_MAJOR = 102;

  private long budget;

  FlatVectors(int size) {
    budget = (long) size * READS;
  }

  /** Returns a length after checking that the message can hold that many elements. */
  int count(int length, int bytesEach) {
    budget -= (long) length * bytesEach;
    if (length < 0 || budget < 0) {
      throw damaged("a vector of " + length + " elements");
    }
    return length;
  }

  double[] doubles(int length, IntToDoubleFunction element) {
    return IntStream.range(0, count(length, Double.BYTES)).mapToDouble(element).toArray();
  }

  long[] longs(int length, IntToLongFunction element) {
    return IntStream.range(0, count(length, Long.BYTES)).mapToLong(element).toArray();
  }

  boolean[] flags(int length, IntFunction<Boolean> element) {
    boolean[] values = new boolean[count(length, 1)];
    for (int i = 0; i < values.length; i++) {
      values[i] = element.apply(i);
    }
    return values;
  }

  /** Reads an array that ND4J wrote: big-endian, in c or f order, without gaps. */
  Tensor tensor(FlatArray array) {
    DType dtype = dtype(array.dtype(), "an array");
    // ND4J writes a shape as rank, extents, strides, flags, element-wise stride and order.
    long[] info = longs(array.shapeLength(), array::shape);
    int rank = info.length == 0 || info[0] < 0 || info[0] > Tensor.MAX_RANK ? -1 : (int) info[0];
    if (rank < 0 || info.length != 2 * rank + 4) {
      throw damaged("the shape of an array has " + info.length + " numbers");
    }
    long order = info[info.length - 1];
    if (order != ROW_MAJOR && order != COLUMN_MAJOR) {
      throw damaged("the order of an array is " + order);
    }
    long[] shape = Arrays.copyOfRange(info, 1, rank + 1);
    long size = sizeOf(shape);
    int width = dtype.bytes();
    int length = count(array.bufferLength(), 1);
    if (size == 0 || size > length / width || size * width != length) {
      throw damaged("an array of " + size + " elements of " + dtype + " in " + length + " bytes");
    }
    byte[] bytes = new byte[length];
    ByteBuffer source = array.bufferAsByteBuffer();
    for (int i = 0; i < size; i++) {
      long from = order == ROW_MAJOR ? i : columnIndex(i, shape);
      for (int k = 0; k < width; k++) { // Bytes are reversed, since tensors are read little-endian.
        bytes[i * width + k] = source.get(source.position() + (int) from * width + width - 1 - k);
      }
    }
    if (dtype == DType.BOOL) {
      for (byte element : bytes) {
        if (element != 0 && element != 1) {
          throw damaged("a boolean must be 0 or 1, got " + element);
        }
      }
    }
    return TensorBytes.read(dtype, shape, (int) size, ByteBuffer.wrap(bytes));
  }

  private static long sizeOf(long[] shape) {
    try {
      return Tensor.sizeOf(shape);
    } catch (IllegalArgumentException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the column-major position of the element at the row-major position {@code index}. */
  private static long columnIndex(long index, long[] shape) {
    long[] position = new long[shape.length];
    for (int i = shape.length - 1; i >= 0; i--) {
      position[i] = index % shape[i];
      index /= shape[i];
    }
    long offset = 0;
    long stride = 1;
    for (int i = 0; i < shape.length; i++) {
      offset += position[i] * stride;
      stride *= shape[i];
    }
    return offset;
  }

  static DType dtype(int code, String what) {
    return switch (code) {
      case 1 -> DType.BOOL;
      case 3 -> DType.FLOAT16;
      case 5 -> DType.FLOAT32;
      case 6 -> DType.FLOAT64;
      case 7 -> DType.INT8;
      case 8 -> DType.INT16;
      case 9 -> DType.INT32;
      case 10 -> DType.INT64;
      case 11 -> DType.UINT8;
      case 17 -> DType.BFLOAT16;
      default ->
          throw new GridException(
              Status.BAD_VALUE, what + " has the element type " + code + ", which no tensor has");
    };
  }

  static String name(@Nullable String name, String what) {
    String given = present(name, what);
    if (given.length() > MAX_NAME) {
      throw damaged(what + " has " + given.length() + " characters");
    }
    return given;
  }

  static <T> T present(@Nullable T value, String what) {
    if (value == null) {
      throw damaged(what + " is missing");
    }
    return value;
  }

  static GridException damaged(String what) {
    return new GridException(Status.BAD_VALUE, "the bytes of the graph are damaged: " + what);
  }
}
