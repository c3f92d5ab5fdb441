package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.bench.training.DdpTrainer;
import io.hazelgrad.cli.gpt.CharTransformer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Measures matrix products and trainings on the first GPU of this machine, and copies to and from
 * it. Work on a GPU goes on behind the calls, so each time ends when an element was read.
 */
final class GpuBench extends Bench {
  private static final Device GPU = Device.gpu(0);
  private static final int[] SIZES = {256, 1024, 4096, 8192};
  private static final List<Integer> NETWORK = DdpBench.MODELS.get(1);
  private static final int[] BATCHES = {64, 4096};
  private static final Duration WARM_UP = Duration.ofSeconds(4);
  private static final int ROUNDS = 5;
  private static final int STEPS = 50;
  private static final double OPERATIONS_OF_ROUND = 1e13;
  private static final int MOST_PRODUCTS = 2000;
  private static final int COPIES = 15;
  private static final int ELEMENTS = 64 << 20;

  private final Tensor last = Tensor.scalar(1).to(GPU);

  GpuBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    for (int size : SIZES) {
      multiply(size);
    }
    for (int batch : BATCHES) {
      Runnable step = DdpTrainer.step(NETWORK, batch, GPU);
      train("gpu_mlp_steps", Map.of("model", DdpBench.label(NETWORK), "batch", batch), step);
    }
    for (CharTransformer.Shape shape : List.of(DdpTrainer.SMALL_SHAPE, DdpTrainer.LARGE_SHAPE)) {
      train("gpu_gpt_steps", Map.of("width", shape.width()), DdpTrainer.step(shape, GPU));
    }
    copy();
  }

  /** Returns the microseconds of one run: the median of rounds that have {@code runs} each. */
  private double micros(Runnable run, int runs) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < WARM_UP.toNanos()) {
      run.run();
    }
    Runnable round =
        () -> {
          for (int i = 0; i < runs; i++) {
            run.run();
          }
          read(last);
        };
    return Sampling.median(Sampling.time(round, 1, ROUNDS)) / 1e3 / runs;
  }

  /** Waits for the GPU, which works in the order of the calls. */
  private static void read(Tensor x) {
    x.storage().copyTo(0, 1, ByteBuffer.allocate(x.dtype().bytes()));
  }

  private void multiply(int size) {
    Init random = Init.seeded(1);
    Variable a = Variable.of(random.normal(0, 1, size, size).to(GPU));
    Variable b = Variable.of(random.normal(0, 1, size, size).to(GPU));
    double operations = 2.0 * size * size * size;
    int products = (int) Math.max(10, Math.min(MOST_PRODUCTS, OPERATIONS_OF_ROUND / operations));
    double micros = micros(() -> a.matmul(b).value().release(), products);
    report("gpu_matmul", Map.of("size", size), operations / micros / 1e3, "GFLOP/s", products);
  }

  private void train(String name, Map<String, Object> parameters, Runnable step) {
    report(name, parameters, 1e6 / micros(step, STEPS), "steps/s", ROUNDS * STEPS);
  }

  private void copy() {
    Tensor here = Tensor.wrap(new float[ELEMENTS], ELEMENTS);
    Tensor there = here.to(GPU);
    Runnable up =
        () -> {
          Tensor copy = here.to(GPU);
          read(copy);
          copy.release();
        };
    copied("gpu_upload", up);
    copied("gpu_download", () -> there.to(Device.CPU));
    there.release();
  }

  private void copied(String name, Runnable copy) {
    double bytes = (double) ELEMENTS * DType.FLOAT32.bytes();
    double micros = Sampling.median(Sampling.time(copy, ROUNDS, COPIES)) / 1e3;
    report(name, Map.of("bytes", (int) bytes), bytes / micros, "MB/s", COPIES);
  }
}
