package io.hazelgrad.bench;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.bench.training.BenchLayer;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Measures the training of a network of 784, 256 and 10 units with batches of 64. The first layer
 * is on the other worker, the second one and the loss are here. Then this process alone trains it.
 */
final class MlpBench extends Bench {
  /** Forward, backward, optimizer, and total. */
  private static final int PHASES = 4;

  private static final int LOCAL_WARM_UP = 5_000;

  /** The number of steps that are timed before the warm-up. */
  private static final int FIRST = 1_000;

  private static final int STEPS = 1_000;
  private static final int LOCAL_STEPS = 200;
  private static final int INPUTS = 784;
  private static final int HIDDEN = 256;
  private static final int CLASSES = 10;
  private static final int BATCH = 64;
  private static final Sgd SGD = Sgd.of(0.05);

  private final Variable x = Variable.of(Init.seeded(1).normal(0, 1, BATCH, INPUTS));
  private final Variable labels =
      Variable.of(Tensor.wrap(new Random(1).longs(BATCH, 0, CLASSES).toArray(), BATCH));

  MlpBench(Setting setting) {
    super(setting);
  }

  @Override
  void run() {
    distributed();
    local();
  }

  private void distributed() {
    Linear second = new Linear(HIDDEN, CLASSES, Init.seeded(1));
    List<RRef<Variable>> parameters = new ArrayList<>();
    RRefs rrefs = RRefs.on(caller);
    try (RRef<BenchLayer> first =
        rrefs.remote(others.get(0), BenchLayer::new, INPUTS, HIDDEN, 0L)) {
      parameters.addAll(first.sync(BenchLayer::parameters));
      parameters.addAll(second.parameterRRefs(caller));
      try (DistributedOptimizer optimizer = DistributedOptimizer.create(caller, SGD, parameters)) {
        train(first, second, optimizer);
      }
    } finally {
      parameters.forEach(RRef::close);
    }
  }

  private void train(RRef<BenchLayer> first, Linear second, DistributedOptimizer optimizer) {
    Consumer<long[]> step = nanos -> step(first, second, optimizer, nanos);
    double firstLoss = step(first, second, optimizer, new long[PHASES]);
    rate("mlp_first_steps", Sampling.time(() -> step.accept(new long[PHASES]), 0, FIRST));
    warmUp.run(() -> step.accept(new long[PHASES]));
    long[][] nanos = Sampling.phases(PHASES, STEPS, step);
    double lastLoss = step(first, second, optimizer, new long[PHASES]);
    if (!(lastLoss < firstLoss / 2)) {
      throw new IllegalStateException("the loss went from " + firstLoss + " to " + lastLoss);
    }
    latency("mlp_forward", TCP, nanos[0]);
    latency("mlp_backward", TCP, nanos[1]);
    latency("mlp_optimizer_step", TCP, nanos[2]);
    latency("mlp_total_step", TCP, nanos[3]);
    rate("mlp_steps", nanos[3]);
  }

  /** Makes a step; {@code nanos} gets the times of its phases. Returns the loss before it. */
  private double step(
      RRef<BenchLayer> first, Linear second, DistributedOptimizer optimizer, long[] nanos) {
    long start = System.nanoTime();
    double lost;
    try (Context context = Autograd.on(caller).open()) {
      Variable hidden = first.sync(BenchLayer::forward, x);
      Variable loss = second.forward(hidden).crossEntropy(labels);
      long computed = System.nanoTime();
      context.backward(loss);
      long differentiated = System.nanoTime();
      optimizer.step(context);
      nanos[0] = computed - start;
      nanos[1] = differentiated - computed;
      nanos[2] = System.nanoTime() - differentiated;
      lost = loss.value().item();
    }
    nanos[3] = System.nanoTime() - start;
    return lost;
  }

  private void local() {
    BenchLayer first = new BenchLayer(INPUTS, HIDDEN, 0);
    Linear second = new Linear(HIDDEN, CLASSES, Init.seeded(1));
    List<Variable> parameters = new ArrayList<>(first.variables());
    parameters.addAll(second.parameters());
    LocalOptimizer optimizer = LocalOptimizer.of(SGD, parameters);
    Runnable step =
        () -> {
          optimizer.zeroGrad();
          second.forward(first.forward(x)).crossEntropy(labels).backward();
          optimizer.step();
        };
    rate("mlp_local_steps", Sampling.time(step, LOCAL_WARM_UP, LOCAL_STEPS));
  }

  private void rate(String name, long[] nanos) {
    rate(name, TCP, "steps/s", nanos.length, Arrays.stream(nanos).sum());
  }
}
