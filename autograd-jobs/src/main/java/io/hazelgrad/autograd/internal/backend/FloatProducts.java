package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.internal.backend.Kernels.Product;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.NeedsNd4j;
import io.hazelgrad.grid.Tensor;

/**
 * Products of FLOAT32 that read or write parts of matrices where they lie, or add to what is there.
 * So OpenBLAS does what would be one more pass over memory. Callers check the arguments.
 */
final class FloatProducts {
  private static final FloatKernels KERNELS = new FloatKernels();

  private FloatProducts() {}

  /** Returns whether OpenBLAS computes these products on Java's arrays. */
  static boolean fit(DType dtype, Product p) {
    return dtype == DType.FLOAT32
        && p.isNative()
        && NeedsNd4j.toDo(p, () -> OpenBlas.isThere() && PinnedBlas.isThere());
  }

  static Tensor linear(Tensor x, Tensor weight, Tensor bias, TensorType type, Product p) {
    float[] out = KERNELS.allocate(type.size());
    float[] row = KERNELS.arrayOf(bias);
    for (int at = 0; at < out.length; at += row.length) {
      System.arraycopy(row, 0, out, at, row.length);
    }
    PinnedBlas.floats(KERNELS.arrayOf(x), 0, KERNELS.arrayOf(weight), 0, out, 0, p);
    return KERNELS.tensor(out, type.shape());
  }

  /** Returns the product of one head of {@link #headScores}. */
  static Product scores(Tensor a, Tensor b, int heads) {
    int width = (int) a.shape(2);
    int keys = (int) b.shape(1);
    return new Product((int) a.shape(1), width / heads, keys, false, true, width, width, keys);
  }

  static Tensor headScores(Tensor a, Tensor b, TensorType type, Product p) {
    int heads = (int) type.extent(1);
    float[] left = KERNELS.arrayOf(a);
    float[] right = KERNELS.arrayOf(b);
    float[] out = KERNELS.allocate(type.size());
    for (int i = 0; i < out.length / p.result(); i++) {
      int ia = part(i, heads, p.m() * p.strideA(), p.k());
      int ib = part(i, heads, p.n() * p.strideB(), p.k());
      PinnedBlas.floats(left, ia, right, ib, out, i * p.result(), p);
    }
    return KERNELS.tensor(out, type.shape());
  }

  /** Returns where a head begins in a tensor {@code [N, rows, E]}: the i-th of all, N by N. */
  private static int part(int i, int heads, int matrix, int columns) {
    return i / heads * matrix + i % heads * columns;
  }

  /** Returns the product of one head of {@link #headValues}. */
  static Product values(Tensor weights, boolean transpose, Tensor b) {
    int width = (int) b.shape(2);
    return new Product(
        (int) weights.shape(transpose ? 3 : 2),
        (int) b.shape(1),
        width / (int) weights.shape(1),
        transpose,
        false,
        (int) weights.shape(3),
        width,
        width);
  }

  static Tensor headValues(Tensor weights, Tensor b, TensorType type, Product p) {
    int heads = (int) weights.shape(1);
    float[] left = KERNELS.arrayOf(weights);
    float[] right = KERNELS.arrayOf(b);
    float[] out = KERNELS.allocate(type.size());
    for (int i = 0; i < left.length / p.left(); i++) {
      int ib = part(i, heads, p.k() * p.strideB(), p.n());
      int io = part(i, heads, p.m() * p.strideOut(), p.n());
      PinnedBlas.floats(left, i * p.left(), right, ib, out, io, p);
    }
    return KERNELS.tensor(out, type.shape());
  }
}
