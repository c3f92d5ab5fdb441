package io.hazelgrad.autograd.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Matrix products by OpenBLAS, beside sums of products. */
class NativeMatmulTest {
  private static final int CASES = 200;

  private final CpuBackend backend = new CpuBackend();
  private final Random random = new Random(3);

  private Tensor tensor(DType dtype, long... shape) {
    double[] values = new double[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextDouble() - 0.5;
    }
    return Tensor.of(values, shape).to(dtype);
  }

  /**
   * With both operands as they are or transposed, and with batches, whose matrices lie within
   * arrays.
   */
  @ParameterizedTest
  @EnumSource(names = {"FLOAT32", "FLOAT64"})
  void productsMatchSums(DType dtype) {
    double near = dtype == DType.FLOAT32 ? 1e-4 : 1e-12;
    for (int i = 0; i < CASES; ) {
      int m = 1 + random.nextInt(80);
      int k = 1 + random.nextInt(80);
      int n = 1 + random.nextInt(80);
      boolean ofA = random.nextBoolean();
      boolean ofB = random.nextBoolean();
      if (!new Kernels.Product(m, k, n, ofA, ofB).isNative()) {
        continue;
      }
      i++;
      int batch = 1 + random.nextInt(3);
      Tensor a = ofA ? tensor(dtype, batch, k, m) : tensor(dtype, batch, m, k);
      Tensor b = ofB ? tensor(dtype, batch, n, k) : tensor(dtype, batch, k, n);
      Tensor product = backend.matmul(a, ofA, b, ofB);
      assertThat(product.shape()).containsExactly(batch, m, n);
      double[] found = product.toDoubles();
      double[] left = a.toDoubles();
      double[] right = b.toDoubles();
      double worst = 0;
      for (int at = 0; at < found.length; at++) {
        int matrix = at / (m * n);
        int row = at / n % m;
        int column = at % n;
        double sum = 0;
        for (int p = 0; p < k; p++) {
          sum +=
              left[matrix * m * k + (ofA ? p * m + row : row * k + p)]
                  * right[matrix * k * n + (ofB ? column * k + p : p * n + column)];
        }
        worst = Math.max(worst, Math.abs(found[at] - sum));
      }
      assertThat(worst).isLessThan(near);
    }
  }

  /** Each product has memory of its own, though that is used again. */
  @Test
  void productsMatchOnSeveralThreads() {
    List<CompletableFuture<?>> threads = new ArrayList<>();
    for (int size : new int[] {40, 70, 150, 300}) {
      Tensor a = tensor(DType.FLOAT32, size, size);
      Tensor b = tensor(DType.FLOAT32, size, size);
      float[] expected = backend.matmul(a, false, b, false).toFloats();
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 200; i++) {
                  assertThat(backend.matmul(a, false, b, false).toFloats()).isEqualTo(expected);
                }
              }));
    }
    threads.forEach(CompletableFuture::join);
  }

  /** Systems without netlib's binding have only these. */
  @Test
  void copyingProductsEqualThoseOnPinnedArraysInTransposedParts() {
    for (boolean transposed : new boolean[] {false, true}) {
      Kernels.Product p = new Kernels.Product(41, 52, 63, transposed, !transposed);
      float[] a = tensor(DType.FLOAT32, 3 + p.left()).toFloats();
      float[] b = tensor(DType.FLOAT32, 4 + p.right()).toFloats();
      float[] expected = new float[5 + p.result()];
      float[] found = new float[5 + p.result()];
      NativeMatmul.floats(a, 3, b, 4, expected, 5, p);
      PinnedBlas.floats(a, 3, b, 4, found, 5, p);
      assertThat(found).containsExactly(expected, within(1e-5f));
    }
  }

  /** A call pins arrays for a few milliseconds at most. */
  @Test
  void productsOfManyRowsMatchWhenTheyTakeSeveralCalls() {
    Tensor a = tensor(DType.FLOAT64, 3000, 400);
    Tensor b = tensor(DType.FLOAT64, 400, 400);
    Tensor product = backend.matmul(a, false, b, false);
    Tensor part =
        backend.matmul(
            Tensor.wrap(Arrays.copyOfRange(a.toDoubles(), 2990 * 400, 3000 * 400), 10, 400),
            false,
            b,
            false);
    double[] last = Arrays.copyOfRange(product.toDoubles(), 2990 * 400, 3000 * 400);
    assertThat(last).containsExactly(part.toDoubles(), within(1e-10));
  }
}
