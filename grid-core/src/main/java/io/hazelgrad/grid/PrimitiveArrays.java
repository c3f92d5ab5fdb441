package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;

/** The wire form of arrays of primitives: a letter for the type, then the elements. */
final class PrimitiveArrays {
  private PrimitiveArrays() {}

  static void write(Object array, WireOutput out) {
    if (array instanceof byte[] values) {
      out.int8('b').bytes(values);
    } else if (array instanceof double[] values) {
      out.int8('d').tensor(Tensor.wrap(values, values.length));
    } else if (array instanceof float[] values) {
      out.int8('f').tensor(Tensor.wrap(values, values.length));
    } else if (array instanceof long[] values) {
      out.int8('l').tensor(Tensor.wrap(values, values.length));
    } else if (array instanceof int[] values) {
      out.int8('i').tensor(Tensors.wrap(DType.INT32, values, values.length));
    } else if (array instanceof short[] values) {
      out.int8('s').tensor(Tensors.wrap(DType.INT16, values, values.length));
    } else if (array instanceof boolean[] values) {
      out.int8('z').tensor(Tensor.of(values, values.length));
    } else {
      char[] values = (char[]) array; // As numbers: a string would lose half surrogate pairs.
      out.int8('c').tensor(Tensors.wrap(DType.INT16, shorts(values), values.length));
    }
  }

  static Object read(WireInput in) {
    int letter = in.int8();
    return switch (letter) {
      case 'b' -> in.bytes();
      case 'd' -> elements(in, DType.FLOAT64);
      case 'f' -> elements(in, DType.FLOAT32);
      case 'l' -> elements(in, DType.INT64);
      case 'i' -> elements(in, DType.INT32);
      case 's' -> elements(in, DType.INT16);
      case 'z' -> booleans((byte[]) elements(in, DType.BOOL));
      case 'c' -> chars((short[]) elements(in, DType.INT16));
      default -> throw in.damaged("array type " + letter);
    };
  }

  private static short[] shorts(char[] values) {
    short[] bits = new short[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = (short) values[i];
    }
    return bits;
  }

  private static char[] chars(short[] bits) {
    char[] values = new char[bits.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = (char) bits[i];
    }
    return values;
  }

  private static Object elements(WireInput in, DType expected) {
    Tensor tensor = in.tensor();
    if (tensor.dtype() != expected || tensor.rank() != 1) {
      throw in.damaged("an array of " + expected + " written as " + tensor);
    }
    return tensor.storage().array();
  }

  private static boolean[] booleans(byte[] bytes) {
    boolean[] values = new boolean[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      values[i] = bytes[i] != 0;
    }
    return values;
  }
}
