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
  private static final float DENSITY = (float) (1 / Math.sqrt(2 * Math.PI));

  private FloatMath() {}

  /** Intermediate arrays of one call. */
  static final class Scratch {
    final float[] x = new float[BLOCK];
    final float[] out = new float[BLOCK];
    final float[] more = new float[BLOCK];
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
    Scratch scratch = new Scratch();
    float[] values = new float[BLOCK];
    for (int start = 0; start < out.length; start += BLOCK) {
      int count = Math.min(BLOCK, out.length - start);
      System.arraycopy(x, start, values, 0, count);
      System.arraycopy(gradient, start, scratch.more, 0, count);
      for (int i = 0; i < BLOCK; i++) {
        scratch.x[i] = Math.max(LEAST, values[i] * values[i] * -0.5f);
      }
      powers(scratch.x, scratch.rounded, scratch.power);
      scaled(scratch.rounded, scratch.power, scratch.out);
      slopes(scratch.more, values, scratch.out);
      System.arraycopy(scratch.out, 0, out, start, count);
    }
  }

  /** Replaces e^(-x^2 / 2) by the gradient. */
  private static void slopes(float[] gradient, float[] x, float[] exp) {
    for (int i = 0; i < BLOCK; i++) {
      float distribution = 0.5f * (1 + erf(x[i] * SQRT_HALF));
      // The last term is 0, but NaN for an infinity, as in torch: there the exponent was limited.
      exp[i] = gradient[i] * (distribution + x[i] * DENSITY * exp[i] + x[i] * 0);
    }
  }
}
