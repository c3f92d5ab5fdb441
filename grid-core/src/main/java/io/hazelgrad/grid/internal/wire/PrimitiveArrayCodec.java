package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/**
 * The wire form of arrays of primitives: a letter for the type, the number of elements, then the
 * raw little-endian elements. Large ones travel as tensors do, which may be beside the message;
 * then the letter is a capital one.
 */
final class PrimitiveArrayCodec {
  /** Above so many elements an array travels as a tensor; boolean and char arrays never do. */
  private static final int LARGE = 8192;

  private PrimitiveArrayCodec() {}

  static void write(Object array, WireOutput out) {
    if (Array.getLength(array) > LARGE && writeLarge(array, out)) {
      return;
    }
    if (array instanceof byte[] values) {
      out.int8('b').bytes(values);
    } else if (array instanceof double[] values) {
      space('d', values.length, Double.BYTES, out).asDoubleBuffer().put(values);
    } else if (array instanceof float[] values) {
      space('f', values.length, Float.BYTES, out).asFloatBuffer().put(values);
    } else if (array instanceof long[] values) {
      space('l', values.length, Long.BYTES, out).asLongBuffer().put(values);
    } else if (array instanceof int[] values) {
      space('i', values.length, Integer.BYTES, out).asIntBuffer().put(values);
    } else if (array instanceof short[] values) {
      space('s', values.length, Short.BYTES, out).asShortBuffer().put(values);
    } else if (array instanceof char[] values) {
      space('c', values.length, Character.BYTES, out).asCharBuffer().put(values);
    } else {
      boolean[] values = (boolean[]) array;
      ByteBuffer space = space('z', values.length, 1, out);
      for (boolean value : values) {
        space.put((byte) (value ? 1 : 0));
      }
    }
  }

  private static boolean writeLarge(Object array, WireOutput out) {
    if (array instanceof byte[]) {
      large('B', DType.INT8, array, out);
    } else if (array instanceof double[]) {
      large('D', DType.FLOAT64, array, out);
    } else if (array instanceof float[]) {
      large('F', DType.FLOAT32, array, out);
    } else if (array instanceof long[]) {
      large('L', DType.INT64, array, out);
    } else if (array instanceof int[]) {
      large('I', DType.INT32, array, out);
    } else if (array instanceof short[]) {
      large('S', DType.INT16, array, out);
    } else {
      return false;
    }
    return true;
  }

  private static void large(char letter, DType dtype, Object array, WireOutput out) {
    out.int8(letter).tensor(TensorBytes.wrap(dtype, array, Array.getLength(array)));
  }

  private static ByteBuffer space(char letter, int length, int bytesEach, WireOutput out) {
    out.int8(letter).varint(length);
    // The output refuses what is too large; a product beyond an int must not look small.
    return out.space((int) Math.min((long) length * bytesEach, Integer.MAX_VALUE));
  }

  static Object read(WireInput in) {
    int letter = in.int8();
    return switch (letter) {
      case 'b' -> in.bytes();
      case 'd' -> {
        double[] values = new double[in.count(Double.BYTES)];
        in.view(values.length * Double.BYTES).asDoubleBuffer().get(values);
        yield values;
      }
      case 'f' -> {
        float[] values = new float[in.count(Float.BYTES)];
        in.view(values.length * Float.BYTES).asFloatBuffer().get(values);
        yield values;
      }
      case 'l' -> {
        long[] values = new long[in.count(Long.BYTES)];
        in.view(values.length * Long.BYTES).asLongBuffer().get(values);
        yield values;
      }
      case 'i' -> {
        int[] values = new int[in.count(Integer.BYTES)];
        in.view(values.length * Integer.BYTES).asIntBuffer().get(values);
        yield values;
      }
      case 's' -> {
        short[] values = new short[in.count(Short.BYTES)];
        in.view(values.length * Short.BYTES).asShortBuffer().get(values);
        yield values;
      }
      case 'c' -> chars(in);
      case 'z' -> {
        boolean[] values = new boolean[in.count(1)];
        for (int i = 0; i < values.length; i++) {
          values[i] = in.bool();
        }
        yield values;
      }
      case 'B' -> large(in, DType.INT8);
      case 'D' -> large(in, DType.FLOAT64);
      case 'F' -> large(in, DType.FLOAT32);
      case 'L' -> large(in, DType.INT64);
      case 'I' -> large(in, DType.INT32);
      case 'S' -> large(in, DType.INT16);
      default -> throw in.damaged("array type " + letter);
    };
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
