package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Loops over FLOAT32. Sums are collected in double precision. */
final class FloatKernels implements Kernels<float[], double[]> {
  private static final int BLOCK = 256;

  private static final int ALL_BITS = -1;

  /** Below it x - x^3 / 3 is tanh x to single precision. */
  private static final float NEAR_ZERO = 1e-3f;

  @Override
  public float[] allocate(int length) {
    return new float[length];
  }

  @Override
  public float[] arrayOf(Tensor tensor) {
    return (float[]) tensor.storage().array();
  }

  @Override
  public Tensor tensor(float[] array, long... shape) {
    return Tensor.wrap(array, shape);
  }

  @Override
  public void unary(Unary function, float[] x, float[] out) {
    int n = out.length;
    switch (function) {
      case NEG -> {
        for (int i = 0; i < n; i++) {
          out[i] = -x[i];
        }
      }
      case RELU -> {
        for (int i = 0; i < n; i++) {
          out[i] = Math.max(x[i], 0);
        }
      }
      case EXP -> FloatMath.exp(x, out, 0, n, new FloatMath.Scratch());
      case TANH -> tanh(x, out);
      default -> widened(function, x, out);
    }
  }

  /** Computes (1 - e) / (1 + e) with e = exp(-2 |x|); near 0, where that loses digits, a series. */
  private static void tanh(float[] x, float[] out) {
    double[] block = new double[Math.min(BLOCK, x.length)];
    for (int start = 0; start < x.length; start += BLOCK) {
      int n = Math.min(BLOCK, x.length - start);
      for (int i = 0; i < n; i++) {
        block[i] = -2 * Math.abs(x[start + i]);
      }
      DoubleKernels.apply(Unary.EXP, block, block, n);
      for (int i = 0; i < n; i++) {
        block[i] = (1 - block[i]) / (1 + block[i]);
      }
      for (int i = 0; i < n; i++) {
        float each = x[start + i];
        out[start + i] =
            Math.abs(each) < NEAR_ZERO
                ? (float) (each - (double) each * each * each / 3)
                : Math.copySign((float) block[i], each);
      }
    }
  }

  /**
   * Computes in double precision, block by block: exp in a loop of its own takes 3 ns, in one loop
   * with both conversions 11 ns (measured; the instructions do not mix well).
   */
  private static void widened(Unary function, float[] x, float[] out) {
    double[] block = new double[Math.min(BLOCK, x.length)];
    for (int start = 0; start < x.length; start += BLOCK) {
      int n = Math.min(BLOCK, x.length - start);
      for (int i = 0; i < n; i++) {
        block[i] = x[start + i];
      }
      DoubleKernels.apply(function, block, block, n);
      for (int i = 0; i < n; i++) {
        out[start + i] = (float) block[i];
      }
    }
  }

  @Override
  public void binary(Binary function, float[] a, float[] b, float[] out, int n) {
    switch (function) {
      case ADD -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] + b[i];
        }
      }
      case SUB -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] - b[i];
        }
      }
      case MUL -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] * b[i];
        }
      }
      case DIV -> {
        for (int i = 0; i < n; i++) {
          out[i] = a[i] / b[i];
        }
      }
      case RELU_GRADIENT -> {
        // Without a branch, which is slow for random signs: the JIT compiler makes none of a choice
        // between integers.
        for (int i = 0; i < n; i++) {
          // Asked this way round for NaN: see ScalarFunctions.
          int kept = b[i] <= 0 ? 0 : ALL_BITS;
          out[i] = Float.intBitsToFloat(Float.floatToRawIntBits(a[i]) & kept);
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          out[i] = (float) ScalarFunctions.apply(function, a[i], b[i]);
        }
      }
    }
  }

  @Override
  public void select(float[] condition, float[] a, float[] b, float[] out, int n) {
    for (int i = 0; i < n; i++) {
      out[i] = condition[i] != 0 ? a[i] : b[i];
    }
  }

  @Override
  public void add(float[] x, int ix, float[] out, int io, int step, int n) {
    for (int i = 0; i < n; i++) {
      out[io + i * step] += x[ix + i];
    }
  }

  @Override
  public void cumulate(float[] x, float[] out, int start, int step, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += x[start + i * step];
      out[start + i * step] = (float) sum;
    }
  }

  @Override
  public boolean precedes(Reduction reduction, float[] x, int i, int j) {
    boolean better = reduction == Reduction.MAX ? x[i] > x[j] : x[i] < x[j];
    return better || (Float.isNaN(x[i]) && !Float.isNaN(x[j]));
  }

  @Override
  public void gather(float[] x, int ix, int step, float[] out, int io, int n) {
    if (step == 1) {
      System.arraycopy(x, ix, out, io, n);
    } else if (step == 0) {
      Arrays.fill(out, io, io + n, x[ix]);
    } else {
      for (int i = 0; i < n; i++) {
        out[io + i] = x[ix + i * step];
      }
    }
  }

  @Override
  public double[] accumulators(Reduction reduction, int length) {
    return ScalarFunctions.accumulators(reduction, length);
  }

  @Override
  public void foldAll(Reduction reduction, float[] x, int ix, double[] into, int at, int n) {
    if (reduction != Reduction.SUM) {
      double folded = into[at];
      for (int i = 0; i < n; i++) {
        folded = ScalarFunctions.fold(reduction, folded, x[ix + i]);
      }
      into[at] = folded;
      return;
    }
    // Four sums at once: the additions of one need not wait for each other.
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    int i = ix;
    for (int end = ix + (n & ~3); i < end; i += 4) {
      sum0 += x[i];
      sum1 += x[i + 1];
      sum2 += x[i + 2];
      sum3 += x[i + 3];
    }
    for (int end = ix + n; i < end; i++) {
      sum0 += x[i];
    }
    into[at] += (sum0 + sum1) + (sum2 + sum3);
  }

  @Override
  public void foldEach(Reduction reduction, float[] x, int ix, double[] into, int at, int n) {
    if (reduction != Reduction.SUM) {
      for (int i = 0; i < n; i++) {
        into[at + i] = ScalarFunctions.fold(reduction, into[at + i], x[ix + i]);
      }
    } else {
      for (int i = 0; i < n; i++) {
        into[at + i] += x[ix + i];
      }
    }
  }

  @Override
  public float[] result(double[] accumulators) {
    float[] out = new float[accumulators.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = (float) accumulators[i];
    }
    return out;
  }

  @Override
  public void matmul(float[] a, int ia, float[] b, int ib, float[] out, int io, Product p) {
    if (p.isNative()) {
      p.runNatively(
          () -> PinnedBlas.floats(a, ia, b, ib, out, io, p),
          () -> NativeMatmul.floats(a, ia, b, ib, out, io, p));
      return;
    }
    int rowStep = p.transposeA() ? 1 : p.k();
    int columnStep = p.transposeA() ? p.m() : 1;
    if (p.n() == 1 || (p.transposeB() && p.m() == 1)) {
      // A vector is one of the operands: then b's columns lie in one piece.
      for (int i = 0; i < p.m(); i++) {
        for (int j = 0; j < p.n(); j++) {
          out[io + i * p.n() + j] = dot(a, ia + i * rowStep, columnStep, b, ib + j * p.k(), p.k());
        }
      }
      return;
    }
    // Each row of b in an array of its own: see Kernels on why one index for all arrays is fast.
    float[][] rows = new float[p.k()][p.n()];
    for (int r = 0; r < p.k(); r++) {
      gather(
          b, ib + r * (p.transposeB() ? 1 : p.n()), p.transposeB() ? p.k() : 1, rows[r], 0, p.n());
    }
    float[] row = new float[p.n()];
    for (int i = 0; i < p.m(); i++) {
      Arrays.fill(row, 0);
      int at = ia + i * rowStep;
      int r = 0;
      // Four rows of b at once, so that the row of the output is read and written less often.
      for (; r + 3 < p.k(); r += 4) {
        addRows(row, a, at + r * columnStep, columnStep, rows, r);
      }
      for (; r < p.k(); r++) {
        addRow(row, a[at + r * columnStep], rows[r]);
      }
      System.arraycopy(row, 0, out, io + i * p.n(), p.n());
    }
  }

  private static void addRow(float[] row, float a, float[] b) {
    for (int j = 0; j < row.length; j++) {
      row[j] += a * b[j];
    }
  }

  /** Adds four rows, from row r on, times four elements of a. */
  private static void addRows(float[] row, float[] a, int ia, int step, float[][] rows, int r) {
    float a0 = a[ia];
    float a1 = a[ia + step];
    float a2 = a[ia + 2 * step];
    float a3 = a[ia + 3 * step];
    float[] b0 = rows[r];
    float[] b1 = rows[r + 1];
    float[] b2 = rows[r + 2];
    float[] b3 = rows[r + 3];
    for (int j = 0; j < row.length; j++) {
      row[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
    }
  }

  private static float dot(float[] a, int ia, int step, float[] b, int ib, int n) {
    float sum0 = 0;
    float sum1 = 0;
    float sum2 = 0;
    float sum3 = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
      sum0 += a[ia + i * step] * b[ib + i];
      sum1 += a[ia + (i + 1) * step] * b[ib + i + 1];
      sum2 += a[ia + (i + 2) * step] * b[ib + i + 2];
      sum3 += a[ia + (i + 3) * step] * b[ib + i + 3];
    }
    for (; i < n; i++) {
      sum0 += a[ia + i * step] * b[ib + i];
    }
    return (sum0 + sum1) + (sum2 + sum3);
  }
}
