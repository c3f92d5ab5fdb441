package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The wire form of arrays of primitives: a letter for the type, the number of elements, then the
 * raw little-endian elements. Large ones travel as tensors do, which may be beside the message;
 * then the letter is a capital one.
 */
final class PrimitiveArrayCodec {
  /** Above so many elements an array travels as a tensor; boolean and char arrays never do. */
  private static final int LARGE = 8192;

  /** An array that may travel as a tensor: the letter of the small form, and the element type. */
  private record Kind(Class<?> array, char letter, DType dtype) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(byte[].class, 'b', DType.INT8),
          new Kind(double[].class, 'd', DType.FLOAT64),
          new Kind(float[].class, 'f', DType.FLOAT32),
          new Kind(long[].class, 'l', DType.INT64),
          new Kind(int[].class, 'i', DType.INT32),
          new Kind(short[].class, 's', DType.INT16));

  private PrimitiveArrayCodec() {}

  static void write(Object array, WireOutput out) {
    if (array instanceof char[] values) {
      space('c', values.length, Character.BYTES, out).asCharBuffer().put(values);
    } else if (array instanceof boolean[] values) {
      ByteBuffer space = space('z', values.length, 1, out);
      for (boolean value : values) {
        space.put((byte) (value ? 1 : 0));
      }
    } else {
      writeNumbers(array, out);
    }
  }

  private static void writeNumbers(Object array, WireOutput out) {
    for (Kind kind : KINDS) {
      if (kind.array == array.getClass()) {
        Tensor tensor = TensorBytes.wrap(kind.dtype, array, Array.getLength(array));
        if (tensor.size() > LARGE) {
          out.int8(Character.toUpperCase(kind.letter)).tensor(tensor);
        } else {
          tensor.storage().copyTo(space(kind.letter, tensor.size(), kind.dtype.bytes(), out));
        }
      }
    }
  }

  private static ByteBuffer space(char letter, int length, int bytesEach, WireOutput out) {
    out.int8(letter).varint(length);
    // The output refuses what is too large; a product beyond an int must not look small.
    return out.space((int) Math.min((long) length * bytesEach, Integer.MAX_VALUE));
  }

  static Object read(WireInput in) {
    int letter = in.int8();
    if (letter == 'c') {
      return chars(in);
    }
    if (letter == 'z') {
      boolean[] values = new boolean[in.count(1)];
      for (int i = 0; i < values.length; i++) {
        values[i] = in.bool();
      }
      return values;
    }
    for (Kind kind : KINDS) {
      if (letter == kind.letter) {
        int bytes = kind.dtype.bytes();
        return TensorBytes.copied(kind.dtype, in.view(in.count(bytes) * bytes)).array();
      }
      if (letter == Character.toUpperCase(kind.letter)) {
        return large(in, kind.dtype);
      }
    }
    throw in.damaged("array type " + letter);
  }

  private static Object large(WireInput in, DType expected) {
    Tensor tensor = in.tensor();
    if (tensor.dtype() != expected || tensor.rank() != 1) {
      throw in.damaged(
          "an array of " + expected + " written as " + tensor.rank() + "-d " + tensor.dtype());
    }
    return tensor.storage().array();
  }

  static char[] chars(WireInput in) {
    char[] values = new char[in.count(Character.BYTES)];
    in.view(values.length * Character.BYTES).asCharBuffer().get(values);
    return values;
  }

  /** Writes a string as its chars, whatever they are. */
  static void chars(String value, WireOutput out) {
    out.varint(value.length());
    out.space((int) Math.min(value.length() * 2L, Integer.MAX_VALUE)).asCharBuffer().put(value);
  }
}
