package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Numbers of the type {@code double}; see {@link Vector}. */
final class DoubleVector extends Vector {
  private double[] v;

  DoubleVector(double[] v) {
    this.v = v;
    window(0, v.length);
  }

  private static double[] array(Vector x) {
    return ((DoubleVector) x).v;
  }

  @Override
  void fill(int size, double value) {
    v = new double[size];
    Arrays.fill(v, value);
    window(0, size);
  }

  @Override
  void load(Tensor tensor) {
    v = tensor.toDoubles();
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
    double[] w = array(x);
    double factor = a;
    for (int i = 0; i < count; i++) {
      v[at + i] = w[x.at + i] * factor;
    }
  }

  @Override
  void add(double a) {
    double addend = a;
    for (int i = at; i < at + count; i++) {
      v[i] += addend;
    }
  }

  @Override
  void add(Vector x, double a) {
    double[] w = array(x);
    double factor = a;
    for (int i = 0; i < count; i++) {
      v[at + i] += factor * w[x.at + i];
    }
  }

  @Override
  void addProduct(Vector x, Vector y, double a) {
    double[] w = array(x);
    double[] z = array(y);
    double factor = a;
    for (int i = 0; i < count; i++) {
      v[at + i] += factor * w[x.at + i] * z[y.at + i];
    }
  }

  @Override
  void addQuotient(Vector x, Vector y, double a) {
    double[] w = array(x);
    double[] z = array(y);
    double factor = a;
    for (int i = 0; i < count; i++) {
      v[at + i] += factor * w[x.at + i] / z[y.at + i];
    }
  }

  @Override
  void multiply(double a) {
    double factor = a;
    for (int i = at; i < at + count; i++) {
      v[i] *= factor;
    }
  }

  @Override
  void multiply(Vector x) {
    double[] w = array(x);
    for (int i = 0; i < count; i++) {
      v[at + i] *= w[x.at + i];
    }
  }

  @Override
  void divide(double a) {
    double divisor = a;
    for (int i = at; i < at + count; i++) {
      v[i] /= divisor;
    }
  }

  @Override
  void divide(Vector x) {
    double[] w = array(x);
    for (int i = 0; i < count; i++) {
      v[at + i] /= w[x.at + i];
    }
  }

  @Override
  void divideInto(double a) {
    double dividend = a;
    for (int i = at; i < at + count; i++) {
      v[i] = dividend / v[i];
    }
  }

  @Override
  void sqrt() {
    for (int i = at; i < at + count; i++) {
      v[i] = Math.sqrt(v[i]);
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
    double[] w = array(x);
    for (int i = 0; i < count; i++) {
      v[at + i] = Math.max(v[at + i], w[x.at + i]);
    }
  }

  @Override
  void scaleBySign(Vector x, double down, double up, double least, double greatest) {
    double[] w = array(x);
    for (int i = 0; i < count; i++) {
      double sign = w[x.at + i];
      double factor = sign > 0 ? up : sign < 0 ? down : 1;
      v[at + i] = Math.min(Math.max(v[at + i] * factor, least), greatest);
    }
  }

  @Override
  void clearWhereNegative(Vector x) {
    double[] w = array(x);
    for (int i = 0; i < count; i++) {
      if (w[x.at + i] < 0) {
        v[at + i] = 0;
      }
    }
  }

  @Override
  void subtractSigned(Vector x, Vector y) {
    double[] w = array(x);
    double[] z = array(y);
    for (int i = 0; i < count; i++) {
      double sign = w[x.at + i];
      v[at + i] -= sign > 0 ? z[y.at + i] : sign < 0 ? -z[y.at + i] : 0;
    }
  }
}
