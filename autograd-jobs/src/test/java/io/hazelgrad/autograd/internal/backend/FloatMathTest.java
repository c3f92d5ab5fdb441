package io.hazelgrad.autograd.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FloatMathTest {
  private static final int COUNT = 10_007; // No multiple of a block.

  private static float[] range(double from, double to) {
    float[] values = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      values[i] = (float) (from + i * (to - from) / COUNT);
    }
    return values;
  }

  @Test
  void expIsExactToAFewDigitsInTheLastPlaceBetweenItsLimits() {
    float[] x = range(-87, 88);
    float[] out = new float[COUNT];
    FloatMath.exp(x, out, 0, COUNT, new FloatMath.Scratch());
    for (int i = 0; i < COUNT; i++) {
      assertThat(out[i] / Math.exp(x[i])).as("e^%s", x[i]).isCloseTo(1, within(2e-7));
    }
  }

  @Test
  void expHasTheLimitsOfTheFunctionBeyondNormalNumbers() {
    float[] x = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, -100, 90, -0f, -200};
    FloatMath.exp(x, x, 0, x.length, new FloatMath.Scratch());
    assertThat(x)
        .containsExactly(
            Float.NaN, Float.POSITIVE_INFINITY, 0, (float) Math.exp(-100), 1 / 0f, 1, 0);
  }

  @Test
  void expLeavesOtherElementsAloneInAPartOfAnArray() {
    float[] x = {5, 0, 0, 5};
    FloatMath.exp(x, x, 1, 2, new FloatMath.Scratch());
    assertThat(x).containsExactly(5, 1, 1, 5);
  }

  @Test
  void geluAndItsGradientMatchTheFormulasInDoublePrecision() {
    float[] x = range(-20, 20);
    float[] ones = new float[COUNT];
    Arrays.fill(ones, 1);
    float[] value = new float[COUNT];
    float[] slope = new float[COUNT];
    FloatMath.gelu(x, value);
    FloatMath.geluGradient(ones, x, slope);
    for (int i = 0; i < COUNT; i++) {
      double distribution = 0.5 * (1 + Erf.of(x[i] / Math.sqrt(2)));
      double density = Math.exp(-0.5 * x[i] * x[i]) / Math.sqrt(2 * Math.PI);
      assertThat((double) value[i]).as("%s", x[i]).isCloseTo(x[i] * distribution, within(4e-6));
      assertThat((double) slope[i])
          .as("%s", x[i])
          .isCloseTo(distribution + x[i] * density, within(1e-6));
    }
  }

  @Test
  void gradientOfGeluIsNaNAtInfinitiesAndWithoutDensityFarOut() {
    float[] x = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 700, -700};
    float[] slope = new float[x.length];
    FloatMath.geluGradient(new float[] {1, 1, 1, 1, 1}, x, slope);
    assertThat(slope).containsExactly(new float[] {0f / 0, 0f / 0, 0f / 0, 1, 0}, within(1e-6f));
  }
}
