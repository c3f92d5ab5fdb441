package io.hazelgrad.grid;

/** Conversions of the 16-bit floating types (the JDK has them only from version 20 on). */
final class HalfFloats {
  private HalfFloats() {}

  static float bfloat16ToFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /** Rounds to nearest, ties to even; NaN stays NaN. */
  static short floatToBfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) ((bits >>> 16) | 0x40);
    }
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }

  static float float16ToFloat(short half) {
    int sign = (half & 0x8000) << 16;
    int exponent = (half >>> 10) & 0x1f;
    int mantissa = half & 0x3ff;
    if (exponent == 0x1f) {
      return Float.intBitsToFloat(sign | 0x7f800000 | (mantissa << 13));
    }
    if (exponent == 0) {
      float magnitude = mantissa * 0x1p-24f;
      return sign == 0 ? magnitude : -magnitude;
    }
    return Float.intBitsToFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }

  /** Rounds to nearest, ties to even; too large becomes infinity, NaN stays NaN. */
  static short floatToFloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    int sign = (bits >>> 16) & 0x8000;
    float magnitude = Math.abs(value);
    if (Float.isNaN(value)) {
      return (short) (sign | 0x7e00);
    }
    if (magnitude >= 65520f) {
      return (short) (sign | 0x7c00);
    }
    if (magnitude < 0x1p-14f) {
      // Subnormal: a multiple of 2^-24; Math.rint rounds ties to even.
      return (short) (sign | (int) Math.rint(magnitude * 0x1p24));
    }
    int rounded = Float.floatToRawIntBits(magnitude);
    rounded += 0xfff + ((rounded >>> 13) & 1);
    return (short) (sign | ((rounded >>> 13) - (112 << 10)));
  }
}
