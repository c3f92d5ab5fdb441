package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Loops over FLOAT64. */
final class DoubleKernels implements Kernels<double[], double[]> {
  @Override
  public double[] allocate(int length) {
    return new double[length];
  }

  @Override
  public double[] arrayOf(Tensor tensor) {
    return (double[]) tensor.storage().array();
  }

  @Override
  public Tensor tensor(double[] array, long... shape) {
    return Tensor.wrap(array, shape);
  }

  @Override
  public void unary(Unary function, double[] x, double[] out) {
    apply(function, x, out, x.length);
  }

  static void apply(Unary function, double[] x, double[] out, int n) {
    switch (function) {
      case NEG -> {
        for (int i = 0; i < n; i++) {
          out[i] = -x[i];
        }
      }
      case EXP -> {
        for (int i = 0; i < n; i++) {
          out[i] = Math.exp(x[i]);
        }
      }
      case LOG -> {
        for (int i = 0; i < n; i++) {
          out[i] = Math.log(x[i]);
        }
      }
      case RELU -> {
        for (int i = 0; i < n; i++) {
          out[i] = Math.max(x[i], 0);
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          out[i] = ScalarFunctions.apply(function, x[i]);
        }
      }
    }
  }

  @Override
  public void binary(Binary function, double[] a, double[] b, double[] out, int n) {
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
      default -> {
        for (int i = 0; i < n; i++) {
          out[i] = ScalarFunctions.apply(function, a[i], b[i]);
        }
      }
    }
  }

  @Override
  public void select(double[] condition, double[] a, double[] b, double[] out, int n) {
    for (int i = 0; i < n; i++) {
      out[i] = condition[i] != 0 ? a[i] : b[i];
    }
  }

  @Override
  public void add(double[] x, int ix, double[] out, int io, int step, int n) {
    for (int i = 0; i < n; i++) {
      out[io + i * step] += x[ix + i];
    }
  }

  @Override
  public void cumulate(double[] x, double[] out, int start, int step, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += x[start + i * step];
      out[start + i * step] = sum;
    }
  }

  @Override
  public boolean precedes(Reduction reduction, double[] x, int i, int j) {
    boolean better = reduction == Reduction.MAX ? x[i] > x[j] : x[i] < x[j];
    return better || (Double.isNaN(x[i]) && !Double.isNaN(x[j]));
  }

  @Override
  public void gather(double[] x, int ix, int step, double[] out, int io, int n) {
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
  public void foldAll(Reduction reduction, double[] x, int ix, double[] into, int at, int n) {
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
  public void foldEach(Reduction reduction, double[] x, int ix, double[] into, int at, int n) {
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
  public double[] result(double[] accumulators) {
    return accumulators;
  }

  @Override
  public void matmul(double[] a, int ia, double[] b, int ib, double[] out, int io, Product p) {
    if (p.isNative()) {
      p.runNatively(
          () -> PinnedBlas.doubles(a, ia, b, ib, out, io, p),
          () -> NativeMatmul.doubles(a, ia, b, ib, out, io, p));
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
    double[][] rows = new double[p.k()][p.n()];
    for (int r = 0; r < p.k(); r++) {
      gather(
          b, ib + r * (p.transposeB() ? 1 : p.n()), p.transposeB() ? p.k() : 1, rows[r], 0, p.n());
    }
    double[] row = new double[p.n()];
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

  private static void addRow(double[] row, double a, double[] b) {
    for (int j = 0; j < row.length; j++) {
      row[j] += a * b[j];
    }
  }

  /** Adds four rows, from row r on, times four elements of a. */
  private static void addRows(double[] row, double[] a, int ia, int step, double[][] rows, int r) {
    double a0 = a[ia];
    double a1 = a[ia + step];
    double a2 = a[ia + 2 * step];
    double a3 = a[ia + 3 * step];
    double[] b0 = rows[r];
    double[] b1 = rows[r + 1];
    double[] b2 = rows[r + 2];
    double[] b3 = rows[r + 3];
    for (int j = 0; j < row.length; j++) {
      row[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
    }
  }

  private static double dot(double[] a, int ia, int step, double[] b, int ib, int n) {
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
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
