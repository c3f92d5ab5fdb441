package io.hazelgrad.grid;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Elements in a Java array of the type that {@link Storage#array()} names. */
record HeapStorage(DType dtype, Object array) implements Storage {

  HeapStorage {
    if (array.getClass() != arrayType(dtype)) {
      String type = arrayType(dtype).getSimpleName();
      throw new IllegalArgumentException(
          "elements of %s lie in a %s, got a %s"
              .formatted(dtype, type, array.getClass().getSimpleName()));
    }
  }

  private static Class<?> arrayType(DType dtype) {
    return switch (dtype) {
      case FLOAT64 -> double[].class;
      case FLOAT32 -> float[].class;
      case INT64 -> long[].class;
      case INT32 -> int[].class;
      case FLOAT16, BFLOAT16, INT16 -> short[].class;
      case INT8, UINT8, BOOL -> byte[].class;
    };
  }

  static HeapStorage allocate(DType dtype, int length) {
    return new HeapStorage(dtype, Array.newInstance(arrayType(dtype).componentType(), length));
  }

  /** Reads {@code length} elements from the raw little-endian bytes of {@code source}. */
  static HeapStorage read(DType dtype, int length, ByteBuffer source) {
    HeapStorage storage = allocate(dtype, length);
    storage.set(0, length, source);
    return storage;
  }

  @Override
  public int length() {
    return Array.getLength(array);
  }

  @Override
  public double getDouble(int index) {
    return switch (dtype) {
      case FLOAT64 -> ((double[]) array)[index];
      case FLOAT32 -> ((float[]) array)[index];
      case FLOAT16 -> HalfFloats.float16ToFloat(((short[]) array)[index]);
      case BFLOAT16 -> HalfFloats.bfloat16ToFloat(((short[]) array)[index]);
      case INT64, INT32, INT16, INT8, UINT8, BOOL -> getLong(index);
    };
  }

  @Override
  public long getLong(int index) {
    return switch (dtype) {
      case FLOAT64, FLOAT32, FLOAT16, BFLOAT16 -> (long) getDouble(index);
      case INT64 -> ((long[]) array)[index];
      case INT32 -> ((int[]) array)[index];
      case INT16 -> ((short[]) array)[index];
      case INT8 -> ((byte[]) array)[index];
      case UINT8, BOOL -> ((byte[]) array)[index] & 0xff;
    };
  }

  void set(int index, double value) {
    switch (dtype) {
      case FLOAT64 -> ((double[]) array)[index] = value;
      case FLOAT32 -> ((float[]) array)[index] = (float) value;
      case FLOAT16 -> ((short[]) array)[index] = HalfFloats.floatToFloat16((float) value);
      case BFLOAT16 -> ((short[]) array)[index] = HalfFloats.floatToBfloat16((float) value);
      case INT64 -> ((long[]) array)[index] = (long) value;
      case INT32 -> ((int[]) array)[index] = (int) value;
      case INT16 -> ((short[]) array)[index] = (short) value;
      case INT8, UINT8 -> ((byte[]) array)[index] = (byte) (int) value;
      case BOOL -> ((byte[]) array)[index] = (byte) (value == 0 ? 0 : 1);
    }
  }

  /** Sets an element of a storage that no tensor holds yet; too large ones lose their high bits. */
  void set(int index, long value) {
    switch (dtype) {
      case FLOAT64 -> ((double[]) array)[index] = value;
      case FLOAT32 -> ((float[]) array)[index] = value;
      case FLOAT16 -> ((short[]) array)[index] = HalfFloats.floatToFloat16((float) value);
      case BFLOAT16 -> ((short[]) array)[index] = HalfFloats.floatToBfloat16((float) value);
      case INT64 -> ((long[]) array)[index] = value;
      case INT32 -> ((int[]) array)[index] = (int) value;
      case INT16 -> ((short[]) array)[index] = (short) value;
      case INT8, UINT8 -> ((byte[]) array)[index] = (byte) value;
      case BOOL -> ((byte[]) array)[index] = (byte) (value == 0 ? 0 : 1);
    }
  }

  /** Sets elements of a storage that no tensor holds yet, from raw little-endian bytes. */
  void set(int from, int count, ByteBuffer source) {
    ByteBuffer bytes = source.slice().order(ByteOrder.LITTLE_ENDIAN);
    switch (dtype) {
      case FLOAT64 -> bytes.asDoubleBuffer().get((double[]) array, from, count);
      case FLOAT32 -> bytes.asFloatBuffer().get((float[]) array, from, count);
      case INT64 -> bytes.asLongBuffer().get((long[]) array, from, count);
      case INT32 -> bytes.asIntBuffer().get((int[]) array, from, count);
      case FLOAT16, BFLOAT16, INT16 -> bytes.asShortBuffer().get((short[]) array, from, count);
      case INT8, UINT8, BOOL -> bytes.get((byte[]) array, from, count);
    }
    source.position(source.position() + count * dtype.bytes());
  }

  @Override
  public Object toArray() {
    return switch (dtype) {
      case FLOAT64 -> ((double[]) array).clone();
      case FLOAT32 -> ((float[]) array).clone();
      case INT64 -> ((long[]) array).clone();
      case INT32 -> ((int[]) array).clone();
      case FLOAT16, BFLOAT16, INT16 -> ((short[]) array).clone();
      case INT8, UINT8, BOOL -> ((byte[]) array).clone();
    };
  }

  @Override
  public void copyTo(int from, int count, ByteBuffer target) {
    ByteBuffer bytes = target.slice().order(ByteOrder.LITTLE_ENDIAN);
    switch (dtype) {
      case FLOAT64 -> bytes.asDoubleBuffer().put((double[]) array, from, count);
      case FLOAT32 -> bytes.asFloatBuffer().put((float[]) array, from, count);
      case INT64 -> bytes.asLongBuffer().put((long[]) array, from, count);
      case INT32 -> bytes.asIntBuffer().put((int[]) array, from, count);
      case FLOAT16, BFLOAT16, INT16 -> bytes.asShortBuffer().put((short[]) array, from, count);
      case INT8, UINT8, BOOL -> bytes.put((byte[]) array, from, count);
    }
    target.position(target.position() + count * dtype.bytes());
  }

  @Override
  public <R extends @Nullable Object> R borrow(Function<? super Buffer, R> use) {
    return use.apply(
        switch (dtype) {
          case FLOAT64 -> DoubleBuffer.wrap((double[]) array).asReadOnlyBuffer();
          case FLOAT32 -> FloatBuffer.wrap((float[]) array).asReadOnlyBuffer();
          case INT64 -> LongBuffer.wrap((long[]) array).asReadOnlyBuffer();
          case INT32 -> IntBuffer.wrap((int[]) array).asReadOnlyBuffer();
          case FLOAT16, BFLOAT16, INT16 -> ShortBuffer.wrap((short[]) array).asReadOnlyBuffer();
          case INT8, UINT8, BOOL -> ByteBuffer.wrap((byte[]) array).asReadOnlyBuffer();
        });
  }
}
