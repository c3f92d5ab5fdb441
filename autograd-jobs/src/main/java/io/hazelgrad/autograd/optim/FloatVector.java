package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;

/** A {@link Vector} of the type {@code float}. */
final class FloatVector extends HostVector {
  FloatVector(float[] all) {
    super(all);
  }

  private static float[] block(Vector x) {
    return (float[]) ((HostVector) x).block;
  }

  @Override
  void apply(Op op, double a, Vector x, Vector y) {
    float factor = (float) a;
    float[] d = block(this);
    float[] w = block(x);
    float[] z = block(y);
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
          d[i] = (float) Math.sqrt(d[i]);
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
    float factor = (float) a;
    float[] d = (float[]) all;
    float[] w = (float[]) ((HostVector) x).all;
    float[] out = new float[d.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = d[i] + factor * w[i];
    }
    return new FloatVector(out);
  }

  @Override
  void scaleBySign(Vector x, double down, double up, double least, double greatest) {
    float[] d = block(this);
    float[] w = block(x);
    int n = count();
    for (int i = 0; i < n; i++) {
      float sign = w[i];
      float factor = sign > 0 ? (float) up : sign < 0 ? (float) down : 1;
      d[i] = Math.min(Math.max(d[i] * factor, (float) least), (float) greatest);
    }
  }
}
