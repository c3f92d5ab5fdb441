package io.hazelgrad.autograd.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Forward;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Samples;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fast paths give what the plain definitions give. */
class CpuBackendTest {
  private final Backend backend = new CpuBackend();
  private final Random random = new Random(7);

  @Test
  void reluLetsGradientsThroughWhereItsOutputIsPositiveOrNaN() {
    float[] gradients = {2, -3, -0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.MIN_VALUE};
    float[] passing = {1, Float.MIN_VALUE, Float.POSITIVE_INFINITY, Float.NaN, -Float.NaN};
    float[] stopping = {0, -0f, -1, -Float.MIN_VALUE, Float.NEGATIVE_INFINITY};
    for (float gradient : gradients) {
      for (float output : passing) {
        assertThat(reluGradient(gradient, output))
            .as("output %s", output)
            .isEqualTo(Float.valueOf(gradient));
      }
      for (float output : stopping) {
        assertThat(reluGradient(gradient, output))
            .as("output %s", output)
            .isEqualTo(Float.valueOf(0));
      }
    }
  }

  /** Boxed, so that NaN equals NaN in an assertion. */
  private Float reluGradient(float gradient, float output) {
    Tensor g = Tensor.of(new float[] {gradient}, 1);
    Tensor y = Tensor.of(new float[] {output}, 1);
    return backend.binary(Backend.Binary.RELU_GRADIENT, g, y).toFloats()[0];
  }

  // Extents of products for the dot path, the row path and ND4J.
  @ParameterizedTest
  @CsvSource({
    "1, 7, 5",
    "5, 7, 1",
    "1, 1, 1",
    "3, 5, 6",
    "4, 4, 4",
    "60, 61, 62",
    "400, 1, 400",
    "8, 7000, 8",
    "300, 300, 2"
  })
  void everyProductIsTheSumOfProducts(int m, int k, int n) {
    for (DType dtype : List.of(DType.FLOAT64, DType.FLOAT32, DType.INT64, DType.FLOAT16)) {
      for (boolean transposeA : new boolean[] {false, true}) {
        for (boolean transposeB : new boolean[] {false, true}) {
          Tensor a = ints(dtype, transposeA ? new long[] {k, m} : new long[] {m, k});
          Tensor b = ints(dtype, transposeB ? new long[] {n, k} : new long[] {k, n});
          Tensor product = backend.matmul(a, transposeA, b, transposeB);

          assertThat(TensorType.of(product)).isEqualTo(new TensorType(dtype, m, n));
          double[] want = new double[m * n];
          double[] left = a.toDoubles();
          double[] right = b.toDoubles();
          for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
              for (int p = 0; p < k; p++) {
                want[i * n + j] +=
                    left[transposeA ? p * m + i : i * k + p]
                        * right[transposeB ? j * k + p : p * n + j];
              }
            }
          }
          // Small integers: exact in every type, whatever the order of additions.
          assertThat(product).isEqualTo(Tensor.wrap(want, m, n).to(dtype));
        }
      }
    }
  }

  @Test
  void largeMatricesAreMultipliedOneByOne() {
    Tensor a = ints(DType.FLOAT32, 2, 1, 100, 50);
    Tensor b = ints(DType.FLOAT32, 3, 50, 100);
    Tensor product = backend.matmul(a, false, b, false);

    assertThat(product.hasShape(2, 3, 100, 100)).isTrue();
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 3; j++) {
        Tensor single = backend.matmul(part(a, i, 100, 50), false, part(b, j, 50, 100), false);
        assertThat(part(product, i * 3 + j, 100, 100)).isEqualTo(single);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"3000, 1, 3000", "5, 2500, 1", "1, 2500, 5", "2, 1, 3", "1500, 3, 2"})
  void broadcastingMatchesCounting(int x, int y, int z) {
    Tensor a = ints(DType.FLOAT64, x, 1, z);
    Tensor b = ints(DType.FLOAT64, y, z);
    Tensor c = ints(DType.FLOAT64, x, y, 1);

    double[] sums = backend.binary(Backend.Binary.SUB, a, b).toDoubles();
    double[] products = backend.binary(Backend.Binary.MUL, a, c).toDoubles();
    double[] left = a.toDoubles();
    double[] right = b.toDoubles();
    double[] column = c.toDoubles();
    for (int at = 0; at < sums.length; at++) {
      int i = at / (y * z);
      int j = at / z % y;
      int l = at % z;
      assertThat(sums[at]).isEqualTo(left[i * z + l] - right[j * z + l]);
      assertThat(products[at]).isEqualTo(left[i * z + l] * column[i * y + j]);
    }
  }

  @Test
  void anyDimensionsCanBeReduced() {
    long[] shape = {2, 3, 1, 5, 4};
    Tensor x = Samples.random(random, shape);
    double[] data = x.toDoubles();
    for (int mask = 0; mask < 32; mask++) {
      int chosen = mask;
      int[] dims = IntStream.range(0, 5).filter(d -> (chosen >> d & 1) == 1).toArray();
      long[] kept = ShapeRules.keeping(shape, dims);
      double[] sum = new double[(int) Tensor.sizeOf(kept)];
      double[] max = new double[sum.length];
      Arrays.fill(max, Double.NEGATIVE_INFINITY);
      for (int at = 0; at < data.length; at++) {
        int rest = at;
        int to = 0;
        int stride = 1;
        for (int d = 4; d >= 0; d--) {
          to += kept[d] == 1 ? 0 : (int) (rest % shape[d]) * stride;
          stride *= (int) kept[d];
          rest /= (int) shape[d];
        }
        sum[to] += data[at];
        max[to] = Math.max(max[to], data[at]);
      }
      assertThat(backend.reduce(Backend.Reduction.MAX, x, dims)).isEqualTo(Tensor.of(max, kept));
      Tensor got = backend.reduce(Backend.Reduction.SUM, x, dims);
      assertThat(got.hasShape(kept)).isTrue();
      assertThat(got.toDoubles()).containsExactly(sum, within(1e-12));
    }
  }

  @Test
  void permutationAndInverseRestoreTensor() {
    Tensor x = ints(DType.INT16, 2, 3, 4, 5);
    Tensor permuted = backend.permute(x, 2, 0, 3, 1);

    assertThat(permuted.hasShape(4, 2, 5, 3)).isTrue();
    assertThat(permuted).isNotEqualTo(x.reshape(4, 2, 5, 3));
    assertThat(backend.permute(permuted, 1, 3, 0, 2)).isEqualTo(x);
  }

  @Test
  void gatherRestoresScatteredElements() {
    Tensor values = ints(DType.FLOAT32, 2, 1, 3);
    Tensor index = Tensor.of(new long[] {3, 0, 1, 2, 3, 0}, 2, 1, 3);

    Tensor scattered = backend.scatter(values, 1, index, 2, 4, 3);

    assertThat(backend.gather(scattered, 1, index)).isEqualTo(values);
    assertThat(sum(scattered)).isEqualTo(sum(values));
  }

  @Test
  void elementsAddUpWhenTakenTwice() {
    Tensor x = Samples.counting(DType.INT64, 2, 3);
    Tensor index = Samples.longs(2, -1, 0, 2);

    Tensor taken = backend.take(x, 1, index);

    assertThat(taken).isEqualTo(Tensor.of(new long[] {3, 0, 1, 3, 6, 0, 4, 6}, 2, 4));
    assertThat(backend.put(taken, 1, index, 3))
        .isEqualTo(Tensor.of(new long[] {1, 0, 6, 4, 0, 12}, 2, 3));
  }

  // Kernel, stride, padding and dilation of rows and columns.
  @ParameterizedTest
  @CsvSource({"1, 1, 0, 1", "3, 1, 1, 1", "2, 3, 1, 1", "3, 2, 2, 2", "2, 1, 1, 3", "5, 4, 3, 1"})
  void windowsHaveElementsOfTheirPositions(long kernel, long stride, long padding, long dilation) {
    Tensor x = ints(DType.FLOAT64, 2, 5, 7);
    long rows = (5 + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
    long columns = (7 + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
    Window down = new Window(kernel, stride, padding, dilation, rows);
    Window across = new Window(kernel, stride, padding, dilation, columns);

    Tensor windows = backend.windows(x, down, across);
    Tensor added = backend.addWindows(windows, down, across, 2, 5, 7);

    double[] want = new double[windows.size()];
    double[] sums = new double[x.size()];
    int next = 0;
    for (long plane = 0; plane < 2; plane++) {
      for (long i = 0; i < kernel; i++) {
        for (long j = 0; j < kernel; j++) {
          for (long row = 0; row < rows; row++) {
            for (long column = 0; column < columns; column++) {
              long r = row * stride - padding + i * dilation;
              long c = column * stride - padding + j * dilation;
              if (r >= 0 && r < 5 && c >= 0 && c < 7) {
                int at = (int) ((plane * 5 + r) * 7 + c);
                want[next] = x.storage().getDouble(at);
                sums[at] += want[next];
              }
              next++;
            }
          }
        }
      }
    }
    assertThat(windows).isEqualTo(Tensor.wrap(want, 2, kernel * kernel, rows * columns));
    assertThat(added).isEqualTo(Tensor.wrap(sums, 2, 5, 7));
  }

  private double sum(Tensor x) {
    return backend.reduce(Backend.Reduction.SUM, x, 0, 1, 2).reshape().item();
  }

  @Test
  void sumOfManyFloatsHasNoDrift() {
    Tensor tenths = Tensor.full(DType.FLOAT32, 0.1, 1_000_000, 2);

    assertThat(backend.reduce(Backend.Reduction.SUM, tenths, 0).toDoubles())
        .containsExactly(new double[] {100_000, 100_000}, within(0.01));
    assertThat(backend.reduce(Backend.Reduction.SUM, tenths, 0, 1).item())
        .isCloseTo(200_000, within(0.02));
  }

  @Test
  void openBlasIsLoadedByLargeProductsOnly() throws Exception {
    String openBlas = "org.bytedeco.openblas.global.openblas_nolapack ";
    String nd4j = "org.nd4j.linalg.factory.Nd4j ";
    assertThat(loaded("small")).doesNotContain(openBlas, nd4j);
    assertThat(loaded("large")).contains(openBlas).doesNotContain(nd4j);
  }

  /** Returns what says which classes a process loads that multiplies matrices of this size. */
  private static String loaded(String size) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:stdout",
                "-cp",
                System.getProperty("java.class.path"),
                Products.class.getName(),
                size)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  /** Runs in a process of its own. */
  static final class Products {
    public static void main(String[] args) {
      long n = args[0].equals("small") ? 20 : 200;
      Tensor x = Samples.random(new Random(1), n, n);
      for (String name : List.of("matmul", "linear", "mul", "mse_loss")) {
        Operation operation = Catalogue.get(name);
        Forward forward = operation.forward(new CpuBackend(), List.of(x, x), Attributes.none());
        operation.backward(
            new CpuBackend(), forward.saved(), forward.output(), new boolean[] {true, true});
      }
    }
  }

  private Tensor ints(DType dtype, long... shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < data.length; i++) {
      data[i] = random.nextInt(5) - 2;
    }
    return Tensor.wrap(data, shape).to(dtype);
  }

  private static Tensor part(Tensor x, int index, int rows, int columns) {
    float[] data = new float[rows * columns];
    System.arraycopy(x.toFloats(), index * data.length, data, 0, data.length);
    return Tensor.wrap(data, rows, columns);
  }
}
