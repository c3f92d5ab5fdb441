package io.hazelgrad.autograd.internal.backend;

/**
 * Functions of single precision over whole arrays, in loops that the JIT compiler makes vector code
 * of: all arrays of a loop have one index, and there is neither a branch nor a conversion. The
 * results are within a few units in the last place.
 *
 * <p>e^x is 2^n times e^r with |r| at most ln 2 / 2. The polynomial for e^r is its Taylor series.
 */
final class FloatMath {
  /** The elements of a block, for which intermediate arrays stay in the fastest cache. */
  static final int BLOCK = 512;

  private static final float LOG2_E = 1.442695f;
  private static final float LN2_HIGH = 355f / 512; // Few digits: n times it is exact.
  private static final float LN2_LOW = -2.12194440e-4f;

  /** Adding it rounds a small number to an integer, which is then in the lowest bits. */
  private static final float TO_INTEGER = 12582912f; // 1.5 * 2^23

  private static final int EXPONENT_SHIFT = 23;
  private static final int BITS_OF_ONE = 0x3f800000;

  /** The least x of e^x for which 2^n is a normal number. */
  private static final float LEAST = -87f;

  /** The greatest x of e^x for which 2^n is a normal number. */
  private static final float GREATEST = 88f;

  /** Beyond it, erf is 1 in single precision. */
  private static final float ERF_LIMIT = 4f;

  private static final float SQRT_HALF = (float) Math.sqrt(0.5);

  /** Beyond it, the derivative of gelu is 0 or 1 in single precision. */
  private static final float SLOPE_LIMIT = 6f;

  private FloatMath() {}

  /** Intermediate arrays of one call. */
  static final class Scratch {
    final float[] x = new float[BLOCK];
    final float[] out = new float[BLOCK];
    private final float[] rounded = new float[BLOCK];
    private final float[] power = new float[BLOCK];
  }

  /** Computes e^x for n elements from {@code at} on. Both arrays may be one. */
  static void exp(float[] x, float[] out, int at, int n, Scratch scratch) {
    for (int start = at; start < at + n; start += BLOCK) {
      int count = Math.min(BLOCK, at + n - start);
      System.arraycopy(x, start, scratch.x, 0, count);
      powers(scratch.x, scratch.rounded, scratch.power);
      scaled(scratch.rounded, scratch.power, scratch.out);
      correct(scratch.x, scratch.out);
      System.arraycopy(scratch.out, 0, out, start, count);
    }
  }

  private static void powers(float[] x, float[] rounded, float[] power) {
    for (int i = 0; i < BLOCK; i++) {
      float shifted = x[i] * LOG2_E + TO_INTEGER;
      float n = shifted - TO_INTEGER;
      float r = (x[i] - n * LN2_HIGH) - n * LN2_LOW;
      float sum = 1f / 5040;
      sum = sum * r + 1f / 720;
      sum = sum * r + 1f / 120;
      sum = sum * r + 1f / 24;
      sum = sum * r + 1f / 6;
      sum = sum * r + 0.5f;
      power[i] = (sum * r) * r + r + 1;
      rounded[i] = shifted;
    }
  }

  /** Multiplies by 2^n, which is made of the bits of n. */
  private static void scaled(float[] rounded, float[] power, float[] out) {
    for (int i = 0; i < BLOCK; i++) {
      int bits = (Float.floatToRawIntBits(rounded[i]) << EXPONENT_SHIFT) + BITS_OF_ONE;
      out[i] = power[i] * Float.intBitsToFloat(bits);
    }
  }

  /** Computes the results anew for which 2^n is no normal number. */
  private static void correct(float[] x, float[] out) {
    for (int i = 0; i < BLOCK; i++) {
      if (!(x[i] >= LEAST && x[i] <= GREATEST)) {
        out[i] = x[i] == Float.NEGATIVE_INFINITY ? 0 : (float) Math.exp(x[i]);
      }
    }
  }

  /**
   * Returns the error function: a quotient of polynomials that was fitted to it on [-4, 4], with
   * the coefficients of the library Eigen.
   */
  private static float erf(float x) {
    float z = Math.max(-ERF_LIMIT, Math.min(ERF_LIMIT, x));
    float s = z * z;
    float p = -2.7261424e-10f;
    p = p * s + 2.7706815e-8f;
    p = p * s - 0.000002101024f;
    p = p * s - 0.000056925062f;
    p = p * s - 0.00073499064f;
    p = p * s - 0.0029546f;
    p = p * s - 0.016096033f;
    float q = -0.0000145660715f;
    q = q * s - 0.00021337405f;
    q = q * s - 0.001682827f;
    q = q * s - 0.0073733293f;
    q = q * s - 0.014264739f;
    return z * p / q;
  }

  /** Computes x times the distribution function of the normal distribution. */
  static void gelu(float[] x, float[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = x[i] * 0.5f * (1 + erf(x[i] * SQRT_HALF));
    }
  }

  /** Computes the gradient of the input of {@link #gelu} from that of its output. */
  static void geluGradient(float[] gradient, float[] x, float[] out) {
    for (int start = 0; start < out.length; start += BLOCK) {
      int end = Math.min(out.length, start + BLOCK);
      for (int i = start; i < end; i++) {
        out[i] = geluSlope(x[i]);
      }
      // A loop of its own: with more in it the first one is too long to become vector code.
      for (int i = start; i < end; i++) {
        // The last term is 0, but NaN for an infinity, as in torch: there the slope was limited.
        out[i] = gradient[i] * (0.5f + out[i] + x[i] * 0);
      }
    }
  }

  /**
   * Returns the derivative of x times the distribution function of the normal distribution, minus
   * 1/2: a quotient of polynomials that was fitted to it on [-6, 6] by least squares, weighted
   * until the greatest error was as small as it would become. It is 4e-9, and 3e-7 in single
   * precision.
   */
  private static float geluSlope(float x) {
    float z = Math.max(-SLOPE_LIMIT, Math.min(SLOPE_LIMIT, x));
    float s = z * z;
    float p = 1.7045595e-8f;
    p = p * s + 9.224632e-7f;
    p = p * s + 3.409192e-5f;
    p = p * s + 2.0270818e-4f;
    p = p * s + 0.013857389f;
    p = p * s - 0.022372501f;
    p = p * s + 0.7978845f;
    float q = 1.3147282e-9f;
    q = q * s + 3.3895725e-7f;
    q = q * s + 1.030745e-5f;
    q = q * s + 2.4531814e-4f;
    q = q * s + 0.0039714440f;
    q = q * s + 0.044133134f;
    q = q * s + 0.3052932f;
    q = q * s + 1;
    return z * p / q;
  }
}
