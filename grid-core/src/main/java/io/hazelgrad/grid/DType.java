package io.hazelgrad.grid;

import org.jspecify.annotations.Nullable;

/** The element types of a {@link Tensor}. */
@RemoteValue
public enum DType {
  /** 64-bit IEEE 754. */
  FLOAT64(1, 8, true),
  /** 32-bit IEEE 754. */
  FLOAT32(2, 4, true),
  /** 16-bit IEEE 754. */
  FLOAT16(3, 2, true),
  /** The upper half of a 32-bit IEEE 754 number. */
  BFLOAT16(4, 2, true),
  /** 64-bit signed integer. */
  INT64(5, 8, false),
  /** 32-bit signed integer. */
  INT32(6, 4, false),
  /** 16-bit signed integer. */
  INT16(7, 2, false),
  /** 8-bit signed integer. */
  INT8(8, 1, false),
  /** 8-bit unsigned integer. */
  UINT8(9, 1, false),
  /** One byte, 0 or 1. */
  BOOL(10, 1, false);

  private static final DType[] ALL = values();

  private final int code;
  private final int bytes;
  private final boolean floating;

  DType(int code, int bytes, boolean floating) {
    this.code = code;
    this.bytes = bytes;
    this.floating = floating;
  }

  /** Returns the number that stands for this type on the wire. */
  public int code() {
    return code;
  }

  /** Returns the type that a number stands for, or null if there is none. */
  public static @Nullable DType ofCode(int code) {
    for (DType type : ALL) {
      if (type.code == code) {
        return type;
      }
    }
    return null;
  }

  /** Returns the size of one element in bytes. */
  public int bytes() {
    return bytes;
  }

  /** Returns whether this is a floating-point type; only those can need gradients. */
  public boolean isFloating() {
    return floating;
  }
}
