package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;

/** A {@link Vector} of the type {@code double}. */
final class DoubleVector extends HostVector {
  DoubleVector(double[] all) {
    super(all);
  }

  private static double[] block(Vector x) {
    return (double[]) ((HostVector) x).block;
  }

  @Override
  void apply(Op op, double a, Vector x, Vector y) {
    double factor = a;
    double[] d = block(this);
    double[] w = block(x);
    double[] z = block(y);
    int n = count(); // Loops over fields would not vectorize.
    switch (op) {
      case SET -> {
        for (int i = 0; i < n; i++) {
          d[i] = w[i] * factor;
        }
      }
      case ADD_SCALAR -> {
        for (int i = 0; i < n; i++) {
          d[i] += factor;
        }
      }
      case ADD -> {
        for (int i = 0; i < n; i++) {
          d[i] += factor * w[i];
        }
      }
      case ADD_PRODUCT -> {
        for (int i = 0; i < n; i++) {
          d[i] += factor * w[i] * z[i];
        }
      }
      case ADD_QUOTIENT -> {
        for (int i = 0; i < n; i++) {
          d[i] += factor * w[i] / z[i];
        }
      }
      case MULTIPLY -> {
        for (int i = 0; i < n; i++) {
          d[i] *= w[i];
        }
      }
      case DIVIDE_SCALAR -> {
        for (int i = 0; i < n; i++) {
          d[i] /= factor;
        }
      }
      case DIVIDE -> {
        for (int i = 0; i < n; i++) {
          d[i] /= w[i];
        }
      }
      case DIVIDE_INTO -> {
        for (int i = 0; i < n; i++) {
          d[i] = factor / d[i];
        }
      }
      case SQRT -> {
        for (int i = 0; i < n; i++) {
          d[i] = Math.sqrt(d[i]);
        }
      }
      case ABS -> {
        for (int i = 0; i < n; i++) {
          d[i] = Math.abs(d[i]);
        }
      }
      case MAX -> {
        for (int i = 0; i < n; i++) {
          d[i] = Math.max(d[i], w[i]);
        }
      }
      case CLEAR_WHERE_NEGATIVE -> {
        for (int i = 0; i < n; i++) {
          d[i] = w[i] < 0 ? 0 : d[i];
        }
      }
      case SUBTRACT_SIGNED -> {
        for (int i = 0; i < n; i++) {
          d[i] -= w[i] > 0 ? z[i] : w[i] < 0 ? -z[i] : 0;
        }
      }
      case SCALE_BY_SIGN, LIMIT -> throw new IllegalArgumentException("two numbers: " + op);
    }
  }

  @Override
  Vector plus(double a, Vector x) {
    double[] d = (double[]) all;
    double[] w = (double[]) ((HostVector) x).all;
    double[] out = new double[d.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = d[i] + a * w[i];
    }
    return new DoubleVector(out);
  }

  @Override
  void scaleBySign(Vector x, double down, double up, double least, double greatest) {
    double[] d = block(this);
    double[] w = block(x);
    int n = count();
    for (int i = 0; i < n; i++) {
      double sign = w[i];
      double factor = sign > 0 ? up : sign < 0 ? down : 1;
      d[i] = Math.min(Math.max(d[i] * factor, least), greatest);
    }
  }
}
