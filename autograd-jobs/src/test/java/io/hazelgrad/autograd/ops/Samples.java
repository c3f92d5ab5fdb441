package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Random;

/** Makes tensors for tests. */
public final class Samples {
  private Samples() {}

  /** Returns random elements between -2 and 2, none nearer to 0 than 0.1. */
  public static Tensor random(Random random, long... shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < data.length; i++) {
      double magnitude = 0.1 + 1.9 * random.nextDouble();
      data[i] = random.nextBoolean() ? magnitude : -magnitude;
    }
    return Tensor.of(data, shape);
  }

  /** Returns 1, 2, 3, .. in the given type. */
  public static Tensor counting(DType dtype, long... shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < data.length; i++) {
      data[i] = i + 1;
    }
    return Tensor.of(data, shape).to(dtype);
  }

  public static Tensor doubles(double... values) {
    return Tensor.of(values, values.length);
  }

  public static Tensor longs(long... values) {
    return Tensor.of(values, values.length);
  }
}
