package io.hazelgrad.cuda.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.internal.backend.CpuBackend;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A GPU gives what the CPU gives. */
class CudaBackendTest {
  private static final Set<Unary> OF_INTEGERS =
      EnumSet.of(Unary.NEG, Unary.ABS, Unary.SIGN, Unary.RELU);
  private static final Set<Binary> OF_FLOATS =
      EnumSet.of(Binary.DIV, Binary.TANH_GRADIENT, Binary.SIGMOID_GRADIENT, Binary.RELU_GRADIENT);
  private static final double[] SPECIAL = {
    Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0, -0.0, 1, -1, 2, 0.5, 1e30
  };

  private final Backend cpu = new CpuBackend();
  private final Backend gpu = TestGpu.backend();
  private final Random random = new Random(11);

  /** An operation of a backend. */
  private interface Use {
    Tensor on(Backend backend, List<Tensor> operands);
  }

  private void agrees(Use use, Tensor... operands) {
    Tensor want = use.on(cpu, List.of(operands));
    Tensor got = use.on(gpu, Arrays.stream(operands).map(CudaBackendTest::onGpu).toList());
    assertThat(got.device()).isEqualTo(TestGpu.DEVICE);
    assertClose(got, want);
    // Operands of the host are brought there; the result has the same bits.
    Tensor mixed = use.on(gpu, List.of(operands));
    assertThat(mixed.device()).isEqualTo(TestGpu.DEVICE);
    assertThat(mixed).isEqualTo(got);
  }

  private static Tensor onGpu(Tensor x) {
    return x.to(TestGpu.DEVICE);
  }

  private static void assertClose(Tensor got, Tensor want) {
    assertThat(TensorType.of(got)).isEqualTo(TensorType.of(want));
    if (!want.dtype().isFloating()) {
      assertThat(got.to(Device.CPU)).isEqualTo(want);
      return;
    }
    double tolerance =
        switch (want.dtype()) {
          case FLOAT64 -> 1e-12;
          case FLOAT32 -> 4e-6;
          case FLOAT16 -> 2e-3;
          default -> 2e-2;
        };
    double[] expected = want.toDoubles();
    double[] actual = got.toDoubles();
    for (int i = 0; i < expected.length; i++) {
      if (Double.isFinite(expected[i])) {
        assertThat(actual[i])
            .as("[%s]", i)
            .isCloseTo(expected[i], within(tolerance * Math.max(1, Math.abs(expected[i]))));
      } else {
        assertThat((Double) actual[i]).as("[%s]", i).isEqualTo((Double) expected[i]);
      }
    }
  }

  private Tensor random(DType dtype, long... shape) {
    double[] values = new double[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(values, i -> dtype.isFloating() ? random.nextGaussian() : random.nextInt(-9, 10));
    return Tensor.wrap(values, shape).to(dtype);
  }

  private Tensor indices(int bound, long... shape) {
    long[] values = new long[(int) Tensor.sizeOf(shape)];
    Arrays.setAll(values, i -> random.nextInt(bound + 1) - 1);
    return Tensor.wrap(values, shape);
  }

  @ParameterizedTest
  @EnumSource
  void elementsAreCopiedThereAndBack(DType dtype) {
    for (long[] shape : new long[][] {{}, {0}, {7}, {3, 0, 2}, {65, 1025}}) {
      Tensor x = random(dtype, shape);
      assertThat(onGpu(x).device()).isEqualTo(TestGpu.DEVICE);
      assertThat(onGpu(x).to(Device.CPU)).isEqualTo(x);
    }
  }

  @Test
  void elementsThatDoNotFitIntoTheStagingBufferAreCopied() {
    Tensor x = random(DType.FLOAT32, 5_000_001);
    assertThat(onGpu(x).to(Device.CPU)).isEqualTo(x);
  }

  @ParameterizedTest
  @EnumSource
  void typesAreConverted(DType from) {
    double[] values = {0, 1, -1, 2.5, -2.5, 127, 128, 255, 256, 300, -129, 65504, 65520, 1e-7, 3e9};
    for (DType to : DType.values()) {
      Tensor x = Tensor.wrap(values, values.length).to(from);
      assertThat(onGpu(x).to(to).to(Device.CPU)).as("%s to %s", from, to).isEqualTo(x.to(to));
      if (from.isFloating()) {
        Tensor special = Tensor.wrap(SPECIAL, SPECIAL.length).to(from);
        assertThat(onGpu(special).to(to).to(Device.CPU))
            .as("%s to %s", from, to)
            .isEqualTo(special.to(to));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void functionsOfOneElement(Unary function) {
    for (DType dtype : DType.values()) {
      if (dtype.isFloating() || OF_INTEGERS.contains(function)) {
        agrees((backend, x) -> backend.unary(function, x.get(0)), random(dtype, 5, 301));
        Tensor special = Tensor.wrap(SPECIAL, SPECIAL.length).to(dtype);
        agrees((backend, x) -> backend.unary(function, x.get(0)), special);
      } else {
        refused("floating-point", () -> gpu.unary(function, onGpu(random(dtype, 2))));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void functionsOfTwoElements(Binary function) {
    Use use = (backend, x) -> backend.binary(function, x.get(0), x.get(1));
    for (DType dtype : DType.values()) {
      if (!dtype.isFloating() && OF_FLOATS.contains(function)) {
        refused(
            "floating-point",
            () -> gpu.binary(function, onGpu(random(dtype, 2)), onGpu(random(dtype, 2))));
        continue;
      }
      agrees(use, random(dtype, 6, 50), random(dtype, 6, 50));
      agrees(use, random(dtype, 6, 50), random(dtype));
      agrees(use, random(dtype, 1, 1), random(dtype, 50));
      agrees(use, random(dtype, 3, 1, 5), random(dtype, 4, 1));
      agrees(use, random(dtype, 2, 5), random(dtype, 5));
      agrees(use, random(dtype, 7, 9), random(dtype, 7, 1));
      agrees(use, random(dtype, 3, 1), random(dtype, 2, 3, 4));
      agrees(use, random(dtype, 4, 3, 5, 2), random(dtype, 3, 5, 1));
      agrees(use, random(dtype, 4, 3, 5, 2), random(dtype, 4, 1, 5, 1));
      agrees(use, random(dtype, 3), random(dtype, 1, 1, 1));
      agrees(use, random(dtype, 0, 5), random(dtype, 5));
      Tensor special = Tensor.wrap(SPECIAL, SPECIAL.length).to(dtype);
      // The gradients get outputs of tanh and sigmoid, which are at most 1.
      Tensor second =
          OF_FLOATS.contains(function) && function != Binary.DIV
              ? Tensor.wrap(new double[] {Double.NaN, 0, -0.0, 1, -1, 0.5}, 6).to(dtype)
              : special;
      agrees(use, special.reshape(SPECIAL.length, 1), second);
    }
  }

  @ParameterizedTest
  @EnumSource
  void choices(DType dtype) {
    Use use = (backend, x) -> backend.select(x.get(0), x.get(1), x.get(2));
    Tensor condition = random(DType.BOOL, 4, 1, 3).to(dtype);
    agrees(use, condition, random(dtype, 4, 5, 3), random(dtype));
    agrees(use, condition, random(dtype, 5, 1), random(dtype, 4, 5, 3));
  }

  @ParameterizedTest
  @EnumSource
  void reductions(Reduction reduction) {
    for (DType dtype : DType.values()) {
      reduced(reduction, random(dtype, 3, 4, 5), 1);
      reduced(reduction, random(dtype, 3, 4, 5), 0, 2);
      reduced(reduction, random(dtype, 3, 4, 5), 2, 1, 0);
      reduced(reduction, random(dtype, 3, 4, 5));
      reduced(reduction, random(dtype), new int[0]);
      reduced(reduction, random(dtype, 3, 0, 2), 1);
      reduced(reduction, random(dtype, 0, 4), 1);
    }
    reduced(reduction, random(DType.FLOAT64, 7, 100), 1);
    reduced(reduction, random(DType.FLOAT64, 700, 5), 0);
    reduced(reduction, random(DType.INT64, 2, 70_000), 1);
    reduced(reduction, random(DType.FLOAT32, 9).reshape(3, 3), 0);
    reduced(reduction, Tensor.wrap(SPECIAL, SPECIAL.length), 0);
    reduced(reduction, Tensor.wrap(SPECIAL, SPECIAL.length).reshape(10, 1), 1);
  }

  private void reduced(Reduction reduction, Tensor x, int... dims) {
    agrees((backend, operands) -> backend.reduce(reduction, operands.get(0), dims), x);
  }

  @ParameterizedTest
  @EnumSource(names = {"MAX", "MIN"})
  void placesOfTheGreatestAndLeast(Reduction reduction) {
    for (DType dtype : DType.values()) {
      for (int dim = 0; dim < 3; dim++) {
        int along = dim;
        agrees((backend, x) -> backend.indexOf(reduction, x.get(0), along), random(dtype, 4, 5, 6));
      }
    }
    Tensor special = Tensor.wrap(SPECIAL, SPECIAL.length);
    agrees((backend, x) -> backend.indexOf(reduction, x.get(0), 0), special);
    refused("indexOf", () -> gpu.indexOf(reduction, onGpu(random(DType.FLOAT32, 2, 0)), 1));
    refused("indexOf", () -> gpu.indexOf(Reduction.SUM, onGpu(random(DType.FLOAT32, 2)), 0));
  }

  @ParameterizedTest
  @EnumSource
  void runningSums(DType dtype) {
    for (boolean backwards : new boolean[] {false, true}) {
      agrees((backend, x) -> backend.cumulate(x.get(0), 1, backwards), random(dtype, 3, 4, 5));
      agrees((backend, x) -> backend.cumulate(x.get(0), 1, backwards), random(dtype, 3, 0));
    }
  }

  @ParameterizedTest
  @EnumSource
  void movesOfElements(DType dtype) {
    Tensor x = random(dtype, 3, 1, 5);
    agrees((backend, o) -> backend.expand(o.get(0), 2, 3, 4, 5), x);
    agrees((backend, o) -> backend.expand(o.get(0), 3, 1, 5), x);
    agrees((backend, o) -> backend.expand(o.get(0), 3, 0, 5), x);
    agrees((backend, o) -> backend.permute(o.get(0), 2, 0, 1), random(dtype, 3, 4, 5));
    agrees((backend, o) -> backend.permute(o.get(0), 0, 2, 1), random(dtype, 3, 40, 65));
    agrees((backend, o) -> backend.permute(o.get(0), 1, 0), random(dtype, 0, 4));
    agrees((backend, o) -> backend.permute(o.get(0)), random(dtype));
    agrees(
        (backend, o) -> backend.concat(o, 1),
        random(dtype, 2, 3),
        random(dtype, 2, 0),
        random(dtype, 2, 4));
    agrees((backend, o) -> backend.concat(o, 0), random(dtype, 2, 3), random(dtype, 1, 3));
    refused("expand", () -> gpu.expand(onGpu(x), 3, 2, 4));
    refused("permute", () -> gpu.permute(onGpu(x), 0, 1));
  }

  @ParameterizedTest
  @EnumSource
  void readsAndSumsByIndex(DType dtype) {
    Tensor row = indices(5, 40);
    agrees((backend, o) -> backend.take(o.get(0), 1, o.get(1)), random(dtype, 3, 5, 2), row);
    agrees((backend, o) -> backend.put(o.get(0), 1, o.get(1), 5), random(dtype, 3, 40, 2), row);
    agrees(
        (backend, o) -> backend.put(o.get(0), 0, o.get(1), 6), random(dtype, 0, 2), indices(5, 0));
    for (long[] stretch : new long[][] {{2}, {1, 2, 3}, {0, 2, 4}, {3, 3, 3}, {4, 2, 0}, {0, -1}}) {
      Tensor steps = Tensor.wrap(stretch, stretch.length);
      agrees((backend, o) -> backend.take(o.get(0), 1, steps), random(dtype, 3, 5, 2));
    }
    Tensor index = indices(5, 3, 9, 2);
    agrees((backend, o) -> backend.gather(o.get(0), 1, o.get(1)), random(dtype, 4, 5, 2), index);
    agrees(
        (backend, o) -> backend.scatter(o.get(0), 1, o.get(1), 4, 5, 3),
        random(dtype, 3, 9, 2),
        index);
    Tensor beyond = Tensor.wrap(new long[] {5}, 1);
    refused("index 5", () -> gpu.take(onGpu(random(dtype, 5)), 0, onGpu(beyond)));
    refused("index 5", () -> gpu.put(onGpu(random(dtype, 1)), 0, onGpu(beyond), 5));
    refused("index 5", () -> gpu.gather(onGpu(random(dtype, 5)), 0, onGpu(beyond)));
    refused("index 5", () -> gpu.scatter(onGpu(random(dtype, 1)), 0, onGpu(beyond), 5));
  }

  @ParameterizedTest
  @CsvSource({"1, 7, 5", "1, 1, 1", "3, 5, 6", "17, 33, 9", "0, 3, 2", "3, 0, 2"})
  void products(int m, int k, int n) {
    for (DType dtype : DType.values()) {
      for (boolean first : new boolean[] {false, true}) {
        for (boolean second : new boolean[] {false, true}) {
          Use use = (backend, x) -> backend.matmul(x.get(0), first, x.get(1), second);
          long[] a = first ? new long[] {k, m} : new long[] {m, k};
          long[] b = second ? new long[] {n, k} : new long[] {k, n};
          agrees(use, random(dtype, a), random(dtype, b));
          agrees(use, random(dtype, 2, 3, a[0], a[1]), random(dtype, b));
          agrees(use, random(dtype, a), random(dtype, 2, b[0], b[1]));
          agrees(use, random(dtype, 1, 3, a[0], a[1]), random(dtype, 3, b[0], b[1]));
          agrees(use, random(dtype, 2, 1, a[0], a[1]), random(dtype, 3, b[0], b[1]));
        }
      }
    }
    Tensor x = onGpu(random(DType.FLOAT32, 2, 3));
    refused("inner dimensions", () -> gpu.matmul(x, false, x, false));
    refused("a is", () -> gpu.matmul(x, false, x.to(DType.FLOAT64), true));
  }

  @ParameterizedTest
  @EnumSource
  void windows(DType dtype) {
    Window rows = new Window(2, 2, 1, 1, 3);
    Window columns = new Window(3, 1, 2, 2, 4);
    agrees((backend, x) -> backend.windows(x.get(0), rows, columns), random(dtype, 3, 5, 6));
    agrees(
        (backend, x) -> backend.addWindows(x.get(0), rows, columns, 3, 5, 6),
        random(dtype, 3, 6, 12));
    agrees((backend, x) -> backend.indexOfMax(x.get(0), rows, columns), random(dtype, 3, 5, 6));
    Window far = new Window(1, Integer.MAX_VALUE * 2L, 0, Integer.MAX_VALUE * 2L, 1);
    agrees((backend, x) -> backend.windows(x.get(0), far, far), random(dtype, 1, 5, 6));
    Window farther = new Window(1, Integer.MAX_VALUE, 0, 1, 2);
    refused("beyond", () -> gpu.windows(onGpu(random(dtype, 1, 5, 6)), farther, Window.POINT));
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT64", "FLOAT32"})
  void convolutions(DType dtype) {
    Filter filter = new Filter(new Window(2, 1, 1, 1, 6), new Window(3, 2, 0, 1, 2), 2);
    Tensor a = random(dtype, 2, 4, 5, 6);
    Tensor weight = random(dtype, 6, 2, 2, 3);
    Tensor gradient = random(dtype, 2, 6, 6, 2);
    agrees((backend, x) -> backend.convolve(x.get(0), x.get(1), filter), a, weight);
    for (int i = 0; i < 2; i++) {
      int which = i;
      agrees(
          (backend, x) ->
              backend
                  .convolveGradients(x.get(0), x.get(1), x.get(2), filter, which == 0, which == 1)
                  .get(which),
          a,
          weight,
          gradient);
    }
    assertThat(gpu.convolveGradients(a, weight, gradient, filter, false, false))
        .containsOnlyNulls();
  }

  @Test
  void wholeLayers() {
    assertThat(gpu.fused(DType.FLOAT64)).isNull();
    Tensor x = random(DType.FLOAT32, 2, 5, 5);
    Tensor g = random(DType.FLOAT32, 2, 5, 5);
    Tensor weight = random(DType.FLOAT32, 5);
    layer(f -> f.gelu(x));
    layer(f -> f.geluGradient(g, x));
    layer(f -> f.softmax(x, 0.7, false));
    layer(f -> f.softmax(x, 0.7, true));
    layer(f -> f.softmax(random(7, 3, 600), 1, true));
    layer(f -> f.softmax(random(8, 9), 1, false));
    Tensor y = cpu.fused(DType.FLOAT32).softmax(x, 0.7, true);
    layer(f -> f.softmaxGradient(g, y, 0.7));
    layer(f -> f.normalise(x, 5, 1e-5).rows());
    layer(f -> f.normalise(x, 25, 1e-5).scales());
    layer(f -> f.affine(x, weight, weight));
    FusedKernels.Normalised normalised = cpu.fused(DType.FLOAT32).normalise(x, 5, 1e-5);
    layer(f -> f.normaliseGradient(g, normalised, weight));
  }

  private static Tensor random(int seed, long... shape) {
    float[] values = new float[(int) Tensor.sizeOf(shape)];
    Random random = new Random(seed);
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextFloat(-3, 3);
    }
    return Tensor.wrap(values, shape);
  }

  private void layer(Function<FusedKernels, Tensor> use) {
    agrees((backend, x) -> use.apply(backend.fused(DType.FLOAT32)), new Tensor[0]);
  }

  private static void refused(String part, ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
        .hasMessageContaining(part);
  }
}
