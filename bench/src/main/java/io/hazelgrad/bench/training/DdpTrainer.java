package io.hazelgrad.bench.training;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.cli.gpt.CharTransformer;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.CollectiveOptions;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.collective.Reduction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One worker's part of the benchmarks of data parallel training. All workers run the same function
 * at the same time.
 */
@RemoteFunctions
public final class DdpTrainer {
  /** The steps of a timed training. */
  public static final int STEPS = 400;

  /** The steps of a timed training of the transformer. */
  public static final int TRANSFORMER_STEPS = 40;

  /** The samples of a step. */
  public static final int BATCH = 64;

  private static final String NAME = "bench";
  private static final long WARM_UP_ELEMENTS = 400_000_000;
  private static final int LEAST_WARM_UP = 200;
  private static final int PIXELS = 784;
  private static final int ROWS = 16;
  private static final int SMALL = 1 << 20;
  private static final int SMALL_ROUNDS = 400;
  private static final int LARGE_ROUNDS = 30;

  /** The transformer of the peer's benchmark. */
  public static final CharTransformer.Shape SMALL_SHAPE =
      new CharTransformer.Shape(128, 64, 4, 4, 128);

  /** A transformer that keeps a GPU busy. */
  public static final CharTransformer.Shape LARGE_SHAPE =
      new CharTransformer.Shape(128, 256, 4, 16, 1024);

  private DdpTrainer() {}

  /** Times all-reduces on the worker that runs it. */
  public static long[] allReduce(List<String> names, int bytes, boolean sharedMemory) {
    return allReduce(Grid.current(), names, bytes, sharedMemory);
  }

  /**
   * Times all-reduces in place, as those of the peer are; a barrier before each one lets all begin
   * together.
   *
   * @param sharedMemory false for sockets, as between hosts
   */
  public static long[] allReduce(Grid grid, List<String> names, int bytes, boolean sharedMemory) {
    CollectiveOptions options = CollectiveOptions.defaults().withSharedMemory(sharedMemory);
    try (Collective all = Collectives.on(grid).join(NAME, names, options)) {
      float[] elements = new float[bytes / Float.BYTES];
      int rounds = bytes <= SMALL ? SMALL_ROUNDS : LARGE_ROUNDS;
      long[] nanos = new long[rounds];
      int warmUp = bytes <= SMALL ? 2_000 : LARGE_ROUNDS;
      for (int i = -warmUp; i < rounds; i++) {
        all.barrier().join();
        long start = System.nanoTime();
        all.allReduceInPlace(elements, Reduction.SUM).join();
        if (i >= 0) {
          nanos[i] = System.nanoTime() - start;
        }
      }
      all.barrier().join();
      return nanos;
    }
  }

  /** Returns the steps per second of data parallel training on the worker that runs it. */
  public static double together(List<String> names, List<Integer> sizes) {
    return together(Grid.current(), names, sizes);
  }

  /** Returns the steps per second of data parallel training. */
  public static double together(Grid grid, List<String> names, List<Integer> sizes) {
    Sequential model = network(sizes);
    Variable pictures = pictures(BATCH, Device.CPU);
    Variable classes = classes(BATCH, Device.CPU);
    try (Collective all = Collectives.on(grid).join(NAME, names);
        DataParallel parallel = DataParallel.of(all, model)) {
      LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.01), model.parameters());
      Runnable step =
          () -> {
            parallel.backward(model.forward(pictures).crossEntropy(classes));
            optimizer.step(parallel::gradient);
            parallel.zeroGrad();
          };
      return rate(step, () -> all.barrier().join(), warmUp(model), STEPS);
    }
  }

  /** Returns a step of the training of a network on a device. */
  public static Runnable step(List<Integer> sizes, int batch, Device device) {
    return step(network(sizes), batch, device);
  }

  private static Runnable step(Sequential model, int batch, Device device) {
    model.to(device);
    Variable pictures = pictures(batch, device);
    Variable classes = classes(batch, device);
    LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.01), model.parameters());
    return () -> {
      model.forward(pictures).crossEntropy(classes).backward();
      optimizer.step();
      optimizer.zeroGrad();
    };
  }

  /** Returns a step of the training of a transformer on a device. */
  public static Runnable step(CharTransformer.Shape shape, Device device) {
    CharTransformer model = new CharTransformer(shape, Init.seeded(1));
    model.to(device);
    LocalOptimizer optimizer =
        LocalOptimizer.of(AdamW.defaults().withLearningRate(1e-3), model.parameters());
    long[] ids = new Random(1).longs((long) ROWS * shape.block(), 0, shape.vocab()).toArray();
    Variable input = Variable.of(Tensor.wrap(ids, ROWS, shape.block()).to(device));
    Variable target = Variable.of(Tensor.wrap(ids, ids.length).to(device));
    return () -> {
      model.forward(input).reshape(-1, shape.vocab()).crossEntropy(target).backward();
      optimizer.step();
      optimizer.zeroGrad();
    };
  }

  private static Variable pictures(int batch, Device device) {
    return Variable.of(Init.seeded(2).normal(0, 1, batch, PIXELS).to(device));
  }

  private static Variable classes(int batch, Device device) {
    long[] classes = new Random(3).longs(batch, 0, 10).toArray();
    return Variable.of(Tensor.wrap(classes, batch).to(device));
  }

  /** Returns as many steps as let the JVM compile what they run: more for a small model. */
  private static int warmUp(Sequential model) {
    long elements = model.parameters().stream().mapToLong(each -> each.value().size()).sum();
    return (int) Math.max(LEAST_WARM_UP, WARM_UP_ELEMENTS / elements);
  }

  private static double rate(Runnable step, Runnable together, int warmUp, int steps) {
    for (int i = 0; i < warmUp; i++) {
      step.run();
    }
    together.run();
    long start = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      step.run();
    }
    together.run();
    return steps * 1e9 / (System.nanoTime() - start);
  }

  private static Sequential network(List<Integer> sizes) {
    Init init = Init.seeded(1);
    List<Module<Variable, Variable>> layers = new ArrayList<>();
    for (int i = 1; i < sizes.size(); i++) {
      layers.add(new Linear(sizes.get(i - 1), sizes.get(i), init));
      if (i < sizes.size() - 1) {
        layers.add(Module.of(Variable::relu));
      }
    }
    return new Sequential(layers);
  }
}
