package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Conv2d;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.nn.TransformerEncoderLayer;
import io.hazelgrad.autograd.nn.TransformerOptions;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Trainings of several kinds, by turns, for {@code -Dhazelgrad.soak.seconds}, 2 by default, take no
 * more memory of a GPU at their end than at their beginning.
 */
class MixedTrainingTest {
  private static final Duration TIME =
      Duration.ofSeconds(Long.getLong("hazelgrad.soak.seconds", 2));
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int LEAST_STEPS = 3;
  private static final int MOST_POLLS = 20;
  private static final int WIDTH = 8;

  private final Gpu gpu = TestGpu.open();
  private final Init init = Init.seeded(7);

  private Variable random(long... shape) {
    return Variable.of(init.normal(0, 1, shape).to(gpu.device()));
  }

  /** Returns a step of the training of a model, each time on another input. */
  private Runnable step(Module<Variable, Variable> model, Optimizer by, long... shape) {
    model.to(gpu.device());
    LocalOptimizer optimizer = LocalOptimizer.of(by, model.parameters());
    return () -> {
      Variable y = model.forward(random(shape));
      y.mul(y).mean().backward();
      optimizer.step();
      optimizer.zeroGrad();
    };
  }

  private static Module<Variable, Variable> rows() {
    return Module.of(x -> x.reshape(x.value().shape(0), -1));
  }

  private List<Runnable> trainings() {
    Module<Variable, Variable> relu = Module.of(Variable::relu);
    var network = new Sequential(new Linear(WIDTH, 64, init), relu, new Linear(64, 4, init));
    var pictures =
        new Sequential(new Conv2d(1, 4, 3, init), relu, rows(), new Linear(144, 4, init));
    TransformerOptions options =
        TransformerOptions.defaults()
            .withFeedforward(4 * WIDTH)
            .withBatchFirst(true)
            .withDropout(0);
    var layer = new TransformerEncoderLayer(WIDTH, 2, options, init);
    return List.of(
        step(network, Sgd.of(0.01), 8, WIDTH),
        step(pictures, Adam.defaults(), 2, 1, 8, 8),
        step(layer, Adam.defaults(), 2, 4, WIDTH));
  }

  /** Returns the bytes that tensors have when what is unreachable has been given back. */
  private long settledBytes() {
    long least = Long.MAX_VALUE;
    for (int poll = 0; poll < MOST_POLLS; poll++) {
      System.gc();
      least = Math.min(least, gpu.lentBytes());
    }
    return least;
  }

  @Test
  void keepsNoMemory() {
    List<Runnable> trainings = trainings();
    trainings.forEach(Runnable::run); // Optimizers make their state at the first step.
    long first = settledBytes();
    long end = System.nanoTime() + TIME.toNanos();
    long steps = 0;
    do {
      trainings.forEach(Runnable::run);
      steps++;
    } while (steps < LEAST_STEPS || System.nanoTime() < end);
    Await.until(
        PATIENCE,
        () -> {
          System.gc();
          long now = gpu.lentBytes();
          return now <= first ? "" : "%,d bytes at first, now %,d".formatted(first, now);
        });
    System.out.printf(
        "%,d steps of each training: tensors have %,d bytes, the pool %,d%n",
        steps, gpu.lentBytes(), gpu.pooledBytes());
  }
}
