package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/**
 * Numbers of the type {@code float}; see {@link Vector}. The loops read no field and no offset:
 * only then the compiler makes vector instructions of them.
 */
final class FloatVector extends Vector {
  private float[] all;

  /** What the operations work on: all elements, or a copy of some of them. */
  private float[] block;

  FloatVector(float[] all) {
    this.all = all;
    this.block = all;
    setWindow(0, all.length);
  }

  private static float[] array(Vector x) {
    return ((FloatVector) x).block;
  }

  @Override
  void window(int from, int size) {
    if (size == all.length) {
      block = all;
      setWindow(0, size);
      return;
    }
    if (block == all || block.length < size) {
      block = new float[size];
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
    all = new float[size];
    Arrays.fill(all, (float) value);
    block = all;
    setWindow(0, size);
  }

  @Override
  void load(Tensor tensor) {
    all = tensor.toFloats();
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
    float[] d = block;
    int n = count;
    float[] w = array(x);
    float factor = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] = w[i] * factor;
    }
  }

  @Override
  void add(double a) {
    float[] d = block;
    int n = count;
    float addend = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] += addend;
    }
  }

  @Override
  void add(Vector x, double a) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    float factor = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] += factor * w[i];
    }
  }

  @Override
  void addProduct(Vector x, Vector y, double a) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    float[] z = array(y);
    float factor = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] += factor * w[i] * z[i];
    }
  }

  @Override
  void addQuotient(Vector x, Vector y, double a) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    float[] z = array(y);
    float factor = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] += factor * w[i] / z[i];
    }
  }

  @Override
  void multiply(double a) {
    float[] d = block;
    int n = count;
    float factor = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] *= factor;
    }
  }

  @Override
  void multiply(Vector x) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    for (int i = 0; i < n; i++) {
      d[i] *= w[i];
    }
  }

  @Override
  void divide(double a) {
    float[] d = block;
    int n = count;
    float divisor = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] /= divisor;
    }
  }

  @Override
  void divide(Vector x) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    for (int i = 0; i < n; i++) {
      d[i] /= w[i];
    }
  }

  @Override
  void divideInto(double a) {
    float[] d = block;
    int n = count;
    float dividend = (float) a;
    for (int i = 0; i < n; i++) {
      d[i] = dividend / d[i];
    }
  }

  @Override
  void sqrt() {
    float[] d = block;
    int n = count;
    for (int i = 0; i < n; i++) {
      d[i] = (float) Math.sqrt(d[i]);
    }
  }

  @Override
  void abs() {
    float[] d = block;
    int n = count;
    for (int i = 0; i < n; i++) {
      d[i] = Math.abs(d[i]);
    }
  }

  @Override
  void max(Vector x) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    for (int i = 0; i < n; i++) {
      d[i] = Math.max(d[i], w[i]);
    }
  }

  @Override
  void scaleBySign(Vector x, double down, double up, double least, double greatest) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    for (int i = 0; i < n; i++) {
      float sign = w[i];
      float factor = sign > 0 ? (float) up : sign < 0 ? (float) down : 1;
      d[i] = Math.min(Math.max(d[i] * factor, (float) least), (float) greatest);
    }
  }

  @Override
  void clearWhereNegative(Vector x) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    for (int i = 0; i < n; i++) {
      if (w[i] < 0) {
        d[i] = 0;
      }
    }
  }

  @Override
  void subtractSigned(Vector x, Vector y) {
    float[] d = block;
    int n = count;
    float[] w = array(x);
    float[] z = array(y);
    for (int i = 0; i < n; i++) {
      float sign = w[i];
      d[i] -= sign > 0 ? z[i] : sign < 0 ? -z[i] : 0;
    }
  }
}
