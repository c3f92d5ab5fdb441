package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HalfFloatsTest {
  private static final int ALL = 1 << 16;

  @Test
  void halfSurvivesConversionToFloatAndBack() {
    for (int bits = 0; bits < ALL; bits++) {
      float value = HalfFloats.float16ToFloat((short) bits);
      if (Float.isNaN(value)) {
        assertThat(HalfFloats.float16ToFloat(HalfFloats.floatToFloat16(value))).isNaN();
      } else {
        assertThat(HalfFloats.floatToFloat16(value)).isEqualTo((short) bits);
      }
    }
  }

  @Test
  void halfHasValueOfFormula() {
    for (int bits = 0; bits < ALL; bits++) {
      int exponent = (bits >>> 10) & 31;
      double mantissa = bits & 0x3ff;
      double magnitude =
          switch (exponent) {
            case 0 -> mantissa * 0x1p-24;
            case 31 -> mantissa == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
            default -> Math.scalb(1 + mantissa / 1024, exponent - 15);
          };
      double expected = bits < 0x8000 ? magnitude : -magnitude;
      assertThat(Double.compare(HalfFloats.float16ToFloat((short) bits), expected)).isZero();
    }
  }

  @Test
  void floatRoundsToNearestHalfAndTiesToEven() {
    for (int bits = 0; bits < 0x7c00; bits++) { // up to infinity; 65536 stands for it here
      double low = HalfFloats.float16ToFloat((short) bits);
      double high = bits == 0x7bff ? 65536 : HalfFloats.float16ToFloat((short) (bits + 1));
      float middle = (float) ((low + high) / 2); // exact: a float has more digits
      int even = (bits & 1) == 0 ? bits : bits + 1;
      assertThat(HalfFloats.floatToFloat16(middle)).isEqualTo((short) even);
      assertThat(HalfFloats.floatToFloat16(Math.nextDown(middle))).isEqualTo((short) bits);
      assertThat(HalfFloats.floatToFloat16(Math.nextUp(middle))).isEqualTo((short) (bits + 1));
      assertThat(HalfFloats.floatToFloat16(-middle)).isEqualTo((short) (even | 0x8000));
    }
  }

  @Test
  void bfloat16SurvivesAndRoundsToNearestEven() {
    for (int bits = 0; bits < ALL; bits++) {
      float value = HalfFloats.bfloat16ToFloat((short) bits);
      short back = HalfFloats.floatToBfloat16(value);
      if (Float.isNaN(value)) {
        assertThat(HalfFloats.bfloat16ToFloat(back)).isNaN();
        continue;
      }
      assertThat(back).isEqualTo((short) bits);
      if ((bits & 0x7fff) < 0x7f80) {
        float middle = Float.intBitsToFloat((bits << 16) | 0x8000);
        int even = (bits & 1) == 0 ? bits : bits + 1;
        assertThat(HalfFloats.floatToBfloat16(middle)).isEqualTo((short) even);
      }
    }
  }

  @Test
  void floatBecomesInfinityWhenTooLarge() {
    assertThat(HalfFloats.floatToFloat16(65519f)).isEqualTo((short) 0x7bff);
    assertThat(HalfFloats.floatToFloat16(65520f)).isEqualTo((short) 0x7c00);
    assertThat(HalfFloats.floatToFloat16(-1e30f)).isEqualTo((short) 0xfc00);
    assertThat(HalfFloats.floatToFloat16(Float.MIN_VALUE)).isZero();
    assertThat(HalfFloats.floatToBfloat16(Float.MAX_VALUE)).isEqualTo((short) 0x7f80);
  }
}
