package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.bench.training.DdpTrainer;
import io.hazelgrad.cli.gpt.CharTransformer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/**
 * Measures copies to and from the first GPU of this machine, and matrix products and trainings on
 * it. Times end when a result was read.
 */
final class GpuBench extends Bench {
  private static final Device GPU = Device.gpu(0);
  private static final List<Integer> BATCHES = List.of(64, 4096);
  private static final int[] SIZES = {256, 1024, 4096, 8192};
  private static final double OPERATIONS = 4e13;
  private static final int MOST_PRODUCTS = 2000;
  private static final int COPIES = 15;
  private static final int ELEMENTS = 64 << 20;

  GpuBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    for (int size : SIZES) {
      multiply(size);
    }
    for (int batch : BATCHES) {
      double rate = DdpTrainer.local(DdpBench.MODELS.get(1), batch, GPU);
      String model = DdpBench.label(DdpBench.MODELS.get(1));
      steps("gpu_mlp_steps", Map.of("model", model, "batch", batch), rate);
    }
    for (CharTransformer.Shape shape : List.of(DdpTrainer.SMALL_SHAPE, DdpTrainer.LARGE_SHAPE)) {
      double rate = DdpTrainer.transformer(shape, GPU);
      steps("gpu_gpt_steps", Map.of("width", shape.width()), rate);
    }
    copy();
  }

  private void steps(String name, Map<String, Object> parameters, double rate) {
    report(name, parameters, rate, "steps/s", DdpTrainer.STEPS);
  }

  private void multiply(int size) {
    Init random = Init.seeded(1);
    Variable a = Variable.of(random.normal(0, 1, size, size).to(GPU));
    Variable b = Variable.of(random.normal(0, 1, size, size).to(GPU));
    double operations = 2.0 * size * size * size;
    int products = (int) Math.max(10, Math.min(MOST_PRODUCTS, OPERATIONS / operations));
    Runnable some =
        () -> {
          for (int i = 0; i < products - 1; i++) {
            a.matmul(b).value().release();
          }
          Tensor last = a.matmul(b).value();
          DdpTrainer.read(last);
          last.release();
        };
    double micros = Sampling.median(Sampling.time(some, 2, 5)) / 1e3 / products;
    report("gpu_matmul", Map.of("size", size), operations / micros / 1e3, "GFLOP/s", products);
  }

  private void copy() {
    Tensor there = Tensor.wrap(new float[ELEMENTS], ELEMENTS);
    double bytes = (double) ELEMENTS * DType.FLOAT32.bytes();
    Runnable up =
        () -> {
          Tensor copy = there.to(GPU);
          DdpTrainer.read(copy);
          copy.release();
        };
    double micros = Sampling.median(Sampling.time(up, 3, COPIES)) / 1e3;
    report("gpu_upload", Map.of("bytes", (int) bytes), bytes / micros, "MB/s", COPIES);
    Tensor here = there.to(GPU);
    double back = Sampling.median(Sampling.time(() -> here.to(Device.CPU), 3, COPIES)) / 1e3;
    report("gpu_download", Map.of("bytes", (int) bytes), bytes / back, "MB/s", COPIES);
    here.release();
  }
}
