package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Loops over INT64, which wraps around, and all narrower integers. They are short, not fast. */
final class LongKernels implements Kernels<long[], long[]> {
  @Override
  public long[] allocate(int length) {
    return new long[length];
  }

  @Override
  public long[] arrayOf(Tensor tensor) {
    return (long[]) tensor.storage().array();
  }

  @Override
  public Tensor tensor(long[] array, long... shape) {
    return Tensor.wrap(array, shape);
  }

  @Override
  public void unary(Unary function, long[] x, long[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] =
          switch (function) {
            case NEG -> -x[i];
            case RELU -> Math.max(x[i], 0);
            case ABS -> Math.abs(x[i]);
            case SIGN -> Long.signum(x[i]);
            case FLOOR, SQRT, EXP, EXPM1, LOG, LOG1P, SIN, COS, TANH, SIGMOID, LOG_SIGMOID, ERF ->
                throw floatingOnly(function);
          };
    }
  }

  @Override
  public void binary(Binary function, long[] a, long[] b, long[] out, int n) {
    for (int i = 0; i < n; i++) {
      long left = a[i];
      long right = b[i];
      out[i] =
          switch (function) {
            case ADD -> left + right;
            case SUB -> left - right;
            case MUL -> left * right;
            case MAX -> Math.max(left, right);
            case MIN -> Math.min(left, right);
            case POW -> ScalarFunctions.pow(left, right);
            case EQUAL -> left == right ? 1 : 0;
            case LESS -> left < right ? 1 : 0;
            case LESS_EQUAL -> left <= right ? 1 : 0;
            case DIV, TANH_GRADIENT, SIGMOID_GRADIENT, RELU_GRADIENT ->
                throw floatingOnly(function);
          };
    }
  }

  private static RuntimeException floatingOnly(Enum<?> function) {
    return OperationErrors.bad(function.name(), "takes floating-point elements only");
  }

  @Override
  public void gather(long[] x, int ix, int step, long[] out, int io, int n) {
    if (step == 0) {
      Arrays.fill(out, io, io + n, x[ix]);
      return;
    }
    for (int i = 0; i < n; i++) {
      out[io + i] = x[ix + i * step];
    }
  }

  @Override
  public void select(long[] condition, long[] a, long[] b, long[] out, int n) {
    for (int i = 0; i < n; i++) {
      out[i] = condition[i] != 0 ? a[i] : b[i];
    }
  }

  @Override
  public void add(long[] x, int ix, long[] out, int io, int step, int n) {
    for (int i = 0; i < n; i++) {
      out[io + i * step] += x[ix + i];
    }
  }

  @Override
  public void cumulate(long[] x, long[] out, int start, int step, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
      sum += x[start + i * step];
      out[start + i * step] = sum;
    }
  }

  @Override
  public boolean precedes(Reduction reduction, long[] x, int i, int j) {
    return reduction == Reduction.MAX ? x[i] > x[j] : x[i] < x[j];
  }

  @Override
  public long[] accumulators(Reduction reduction, int length) {
    long[] accumulators = new long[length];
    switch (reduction) {
      case SUM -> {}
      case PROD -> Arrays.fill(accumulators, 1);
      case MAX -> Arrays.fill(accumulators, Long.MIN_VALUE);
      case MIN -> Arrays.fill(accumulators, Long.MAX_VALUE);
    }
    return accumulators;
  }

  @Override
  public void foldAll(Reduction reduction, long[] x, int ix, long[] into, int at, int n) {
    for (int i = 0; i < n; i++) {
      into[at] = fold(reduction, into[at], x[ix + i]);
    }
  }

  @Override
  public void foldEach(Reduction reduction, long[] x, int ix, long[] into, int at, int n) {
    for (int i = 0; i < n; i++) {
      into[at + i] = fold(reduction, into[at + i], x[ix + i]);
    }
  }

  private static long fold(Reduction reduction, long a, long b) {
    return switch (reduction) {
      case SUM -> a + b;
      case PROD -> a * b;
      case MAX -> Math.max(a, b);
      case MIN -> Math.min(a, b);
    };
  }

  @Override
  public long[] result(long[] accumulators) {
    return accumulators;
  }

  @Override
  public void matmul(long[] a, int ia, long[] b, int ib, long[] out, int io, Product p) {
    for (int i = 0; i < p.m(); i++) {
      for (int r = 0; r < p.k(); r++) {
        long value = a[ia + (p.transposeA() ? r * p.m() + i : i * p.k() + r)];
        for (int j = 0; j < p.n(); j++) {
          out[io + i * p.n() + j] +=
              value * b[ib + (p.transposeB() ? j * p.k() + r : r * p.n() + j)];
        }
      }
    }
  }
}
