package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/**
 * Numbers of the type {@code double}; see {@link Vector}. The loops read no field and no offset:
 * only then the compiler makes vector instructions of them.
 */
final class DoubleVector extends Vector {
  private double[] all;

  /** What the operations work on: all elements, or a copy of some of them. */
  private double[] block;

  DoubleVector(double[] all) {
    this.all = all;
    this.block = all;
    setWindow(0, all.length);
  }

  private static double[] array(Vector x) {
    return ((DoubleVector) x).block;
  }

  @Override
  void window(int from, int size) {
    if (size == all.length) {
      block = all;
      setWindow(0, size);
      return;
    }
    if (block == all || block.length < size) {
      block = new double[size];
    }
    System.arraycopy(all, from, block, 0, size);
    setWindow(from, size);
  }

  @Override
  void store() {
    if (block != all) {
      System.arraycopy(block, 0, all, from, count);
    }
  }

  @Override
  void fill(int size, double value) {
    all = new double[size];
    Arrays.fill(all, value);
    block = all;
    setWindow(0, size);
  }

  @Override
  void load(Tensor tensor) {
    all = tensor.toDoubles();
    block = all;
    setWindow(0, all.length);
  }

  @Override
  Tensor toTensor(long... shape) {
    return Tensor.wrap(all, shape);
  }

  @Override
  int size() {
    return all.length;
  }

  @Override
  double first() {
    return block[0];
  }

  @Override
  void set(Vector x, double a) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    double factor = a;
    for (int i = 0; i < n; i++) {
      d[i] = w[i] * factor;
    }
  }

  @Override
  void add(double a) {
    double[] d = block;
    int n = count;
    double addend = a;
    for (int i = 0; i < n; i++) {
      d[i] += addend;
    }
  }

  @Override
  void add(Vector x, double a) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    double factor = a;
    for (int i = 0; i < n; i++) {
      d[i] += factor * w[i];
    }
  }

  @Override
  void addProduct(Vector x, Vector y, double a) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    double[] z = array(y);
    double factor = a;
    for (int i = 0; i < n; i++) {
      d[i] += factor * w[i] * z[i];
    }
  }

  @Override
  void addQuotient(Vector x, Vector y, double a) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    double[] z = array(y);
    double factor = a;
    for (int i = 0; i < n; i++) {
      d[i] += factor * w[i] / z[i];
    }
  }

  @Override
  void multiply(double a) {
    double[] d = block;
    int n = count;
    double factor = a;
    for (int i = 0; i < n; i++) {
      d[i] *= factor;
    }
  }

  @Override
  void multiply(Vector x) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    for (int i = 0; i < n; i++) {
      d[i] *= w[i];
    }
  }

  @Override
  void divide(double a) {
    double[] d = block;
    int n = count;
    double divisor = a;
    for (int i = 0; i < n; i++) {
      d[i] /= divisor;
    }
  }

  @Override
  void divide(Vector x) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    for (int i = 0; i < n; i++) {
      d[i] /= w[i];
    }
  }

  @Override
  void divideInto(double a) {
    double[] d = block;
    int n = count;
    double dividend = a;
    for (int i = 0; i < n; i++) {
      d[i] = dividend / d[i];
    }
  }

  @Override
  void sqrt() {
    double[] d = block;
    int n = count;
    for (int i = 0; i < n; i++) {
      d[i] = Math.sqrt(d[i]);
    }
  }

  @Override
  void abs() {
    double[] d = block;
    int n = count;
    for (int i = 0; i < n; i++) {
      d[i] = Math.abs(d[i]);
    }
  }

  @Override
  void max(Vector x) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    for (int i = 0; i < n; i++) {
      d[i] = Math.max(d[i], w[i]);
    }
  }

  @Override
  void scaleBySign(Vector x, double down, double up, double least, double greatest) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    for (int i = 0; i < n; i++) {
      double sign = w[i];
      double factor = sign > 0 ? up : sign < 0 ? down : 1;
      d[i] = Math.min(Math.max(d[i] * factor, least), greatest);
    }
  }

  @Override
  void clearWhereNegative(Vector x) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    for (int i = 0; i < n; i++) {
      if (w[i] < 0) {
        d[i] = 0;
      }
    }
  }

  @Override
  void subtractSigned(Vector x, Vector y) {
    double[] d = block;
    int n = count;
    double[] w = array(x);
    double[] z = array(y);
    for (int i = 0; i < n; i++) {
      double sign = w[i];
      d[i] -= sign > 0 ? z[i] : sign < 0 ? -z[i] : 0;
    }
  }
}
