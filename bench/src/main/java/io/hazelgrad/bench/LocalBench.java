package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import java.time.Duration;
import java.util.Map;

/**
 * Measures matrix products, additions of one element and the training of three models, for
 * comparison. No other worker takes part.
 */
final class LocalBench extends Bench {
  private static final int[] SIZES = {64, 256, 1024, 2048};
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final int WARM_UP = 5;
  private static final int ROUNDS = 11;
  private static final int ADDITIONS = 100_000;
  private static final int BACKWARD_WARM_UP = 10_000;
  private static final int BACKWARD_SAMPLES = 20_000;

  LocalBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    Init random = Init.seeded(1);
    for (int size : SIZES) {
      multiply(size, random);
    }
    add("no_grad", one, one);
    add("requires_grad", parameter, one);
    long[] nanos =
        Sampling.time(() -> parameter.add(one).backward(), BACKWARD_WARM_UP, BACKWARD_SAMPLES);
    latency("local_add_plus_backward", Map.of(), nanos);
    DdpBench.trainLocally(this);
  }

  private void multiply(int size, Init random) {
    Variable a = Variable.of(random.normal(0, 1, size, size));
    Variable b = Variable.of(random.normal(0, 1, size, size));
    Runnable product = () -> a.matmul(b);
    warmUp.run(product);
    long[] nanos = Sampling.timeFor(product, TIME);
    Map<String, Object> params = Map.of("size", size);
    double micros = latency("matmul_f32_latency", params, nanos);
    double operations = 2.0 * size * size * size;
    report("matmul_f32", params, operations / micros / 1e3, "GFLOP/s", nanos.length);
  }

  private void add(String autograd, Variable a, Variable b) {
    Runnable round =
        () -> {
          for (int i = 0; i < ADDITIONS; i++) {
            a.add(b);
          }
        };
    double nanos = Sampling.median(Sampling.time(round, WARM_UP, ROUNDS));
    Map<String, Object> params = Map.of("autograd", autograd);
    report("op_overhead_add", params, nanos / ADDITIONS, "ns", ROUNDS * ADDITIONS);
  }
}
