package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** Measures matrix products and additions of one element within this process, for comparison. */
final class LocalBench {
  private static final int[] SIZES = {64, 256, 1024, 2048};
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final int WARM_UP = 5;
  private static final int ROUNDS = 11;
  private static final int ADDITIONS = 100_000;
  private static final int BACKWARD_WARM_UP = 10_000;
  private static final int BACKWARD_SAMPLES = 20_000;

  private final Consumer<Figure> figures;

  LocalBench(Consumer<Figure> figures) {
    this.figures = figures;
  }

  void run() {
    Random random = new Random(1);
    for (int size : SIZES) {
      multiply(size, random);
    }
    Variable one = BenchFunctions.small();
    Variable parameter = Variable.parameter(Tensor.full(DType.FLOAT32, 1, 1));
    add("no_grad", one, one);
    add("requires_grad", parameter, one);
    long[] nanos =
        Sampling.time(() -> parameter.add(one).backward(), BACKWARD_WARM_UP, BACKWARD_SAMPLES);
    figures.accept(Figure.latency("local_add_plus_backward", Map.of(), nanos));
  }

  private void multiply(int size, Random random) {
    Variable a = Variable.of(BenchLayer.random(random, 1, size, size));
    Variable b = Variable.of(BenchLayer.random(random, 1, size, size));
    long[] nanos = Sampling.timeFor(() -> a.matmul(b), WARM_UP, TIME);
    Map<String, Object> params = Map.of("size", size);
    Figure latency = Figure.latency("matmul_f32_latency", params, nanos);
    figures.accept(latency);
    double operations = 2.0 * size * size * size;
    double gigaflops = operations / latency.value() / 1e3;
    figures.accept(Figure.of("matmul_f32", params, gigaflops, "GFLOP/s", nanos.length));
  }

  /** Measures the median of rounds after a warm-up. */
  private void add(String autograd, Variable a, Variable b) {
    Runnable round =
        () -> {
          for (int i = 0; i < ADDITIONS; i++) {
            a.add(b);
          }
        };
    long[] nanos = Sampling.time(round, WARM_UP, ROUNDS);
    Arrays.sort(nanos);
    figures.accept(
        Figure.of(
            "op_overhead_add",
            Map.of("autograd", autograd),
            (double) nanos[ROUNDS / 2] / ADDITIONS,
            "ns",
            ROUNDS * ADDITIONS));
  }
}
