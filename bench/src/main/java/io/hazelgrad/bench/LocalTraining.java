package io.hazelgrad.bench;

import io.hazelgrad.bench.training.DdpTrainer;
import io.hazelgrad.grid.Device;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the training of three models in this process, once the compilers are idle. The parameter
 * {@code threads} is there if {@code OMP_NUM_THREADS} is not 1.
 */
final class LocalTraining {
  private LocalTraining() {}

  static void measure(Bench bench) {
    for (List<Integer> sizes : DdpBench.MODELS) {
      Runnable step = DdpTrainer.step(sizes, DdpTrainer.BATCH, Device.CPU);
      Map<String, Object> model = Map.of("model", DdpBench.label(sizes));
      measure(bench, "ddp_local_steps", model, step, DdpTrainer.STEPS);
    }
    Runnable step = DdpTrainer.step(DdpTrainer.SMALL_SHAPE, Device.CPU);
    measure(bench, "gpt_local_steps", Map.of(), step, DdpTrainer.TRANSFORMER_STEPS);
  }

  private static void measure(
      Bench bench, String name, Map<String, Object> parameters, Runnable step, int steps) {
    bench.warmUp.run(step);
    long start = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      step.run();
    }
    double rate = steps * 1e9 / (System.nanoTime() - start);
    Map<String, Object> all = new HashMap<>(parameters);
    String threads = System.getenv("OMP_NUM_THREADS");
    if (threads != null && threads.matches("[2-9]|\\d{2,3}")) {
      all.put("threads", Integer.valueOf(threads));
    }
    bench.report(name, all, rate, "steps/s", steps);
  }
}
