package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Numbers of the type {@code float}; see {@link Vector}. */
final class FloatVector extends Vector {
  private float[] v;

  FloatVector(float[] v) {
    this.v = v;
    window(0, v.length);
  }

  private static float[] array(Vector x) {
    return ((FloatVector) x).v;
  }

  @Override
  void fill(int size, double value) {
    v = new float[size];
    Arrays.fill(v, (float) value);
    window(0, size);
  }

  @Override
  void load(Tensor tensor) {
    v = tensor.toFloats();
    window(0, v.length);
  }

  @Override
  Tensor toTensor(long... shape) {
    return Tensor.wrap(v, shape);
  }

  @Override
  int size() {
    return v.length;
  }

  @Override
  double first() {
    return v[at];
  }

  @Override
  double norm() {
    double sum = 0;
    for (double each : v) {
      sum += each * each;
    }
    return Math.sqrt(sum);
  }

  @Override
  void set(Vector x, double a) {
    float[] w = array(x);
    float factor = (float) a;
    for (int i = 0; i < count; i++) {
      v[at + i] = w[x.at + i] * factor;
    }
  }

  @Override
  void add(double a) {
    float addend = (float) a;
    for (int i = at; i < at + count; i++) {
      v[i] += addend;
    }
  }

  @Override
  void add(Vector x, double a) {
    float[] w = array(x);
    float factor = (float) a;
    for (int i = 0; i < count; i++) {
      v[at + i] += factor * w[x.at + i];
    }
  }

  @Override
  void addProduct(Vector x, Vector y, double a) {
    float[] w = array(x);
    float[] z = array(y);
    float factor = (float) a;
    for (int i = 0; i < count; i++) {
      v[at + i] += factor * w[x.at + i] * z[y.at + i];
    }
  }

  @Override
  void addQuotient(Vector x, Vector y, double a) {
    float[] w = array(x);
    float[] z = array(y);
    float factor = (float) a;
    for (int i = 0; i < count; i++) {
      v[at + i] += factor * w[x.at + i] / z[y.at + i];
    }
  }

  @Override
  void multiply(double a) {
    float factor = (float) a;
    for (int i = at; i < at + count; i++) {
      v[i] *= factor;
    }
  }

  @Override
  void multiply(Vector x) {
    float[] w = array(x);
    for (int i = 0; i < count; i++) {
      v[at + i] *= w[x.at + i];
    }
  }

  @Override
  void divide(double a) {
    float divisor = (float) a;
    for (int i = at; i < at + count; i++) {
      v[i] /= divisor;
    }
  }

  @Override
  void divide(Vector x) {
    float[] w = array(x);
    for (int i = 0; i < count; i++) {
      v[at + i] /= w[x.at + i];
    }
  }

  @Override
  void divideInto(double a) {
    float dividend = (float) a;
    for (int i = at; i < at + count; i++) {
      v[i] = dividend / v[i];
    }
  }

  @Override
  void sqrt() {
    for (int i = at; i < at + count; i++) {
      v[i] = (float) Math.sqrt(v[i]);
    }
  }

  @Override
  void abs() {
    for (int i = at; i < at + count; i++) {
      v[i] = Math.abs(v[i]);
    }
  }

  @Override
  void max(Vector x) {
    float[] w = array(x);
    for (int i = 0; i < count; i++) {
      v[at + i] = Math.max(v[at + i], w[x.at + i]);
    }
  }

  @Override
  void scaleBySign(Vector x, double down, double up, double least, double greatest) {
    float[] w = array(x);
    for (int i = 0; i < count; i++) {
      float sign = w[x.at + i];
      float factor = sign > 0 ? (float) up : sign < 0 ? (float) down : 1;
      v[at + i] = Math.min(Math.max(v[at + i] * factor, (float) least), (float) greatest);
    }
  }

  @Override
  void clearWhereNegative(Vector x) {
    float[] w = array(x);
    for (int i = 0; i < count; i++) {
      if (w[x.at + i] < 0) {
        v[at + i] = 0;
      }
    }
  }

  @Override
  void subtractSigned(Vector x, Vector y) {
    float[] w = array(x);
    float[] z = array(y);
    for (int i = 0; i < count; i++) {
      float sign = w[x.at + i];
      v[at + i] -= sign > 0 ? z[y.at + i] : sign < 0 ? -z[y.at + i] : 0;
    }
  }
}
