package io.hazelgrad.bench;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Training of a network of 784, 256 and 10 with batches of 64: the first layer is on the other
 * worker, the second and the loss are here. Then the same in this process alone.
 */
final class MlpBench {
  /** Forward, backward, optimizer, and all. */
  private static final int PHASES = 4;

  private static final int LOCAL_WARM_UP = 5_000;

  /** The steps that are timed before the JVM has compiled much. */
  private static final int FIRST = 1_000;

  private static final int STEPS = 1_000;
  private static final int LOCAL_STEPS = 200;
  private static final int INPUTS = 784;
  private static final int HIDDEN = 256;
  private static final int CLASSES = 10;
  private static final int BATCH = 64;
  private static final Sgd SGD = Sgd.of(0.05);
  private static final Map<String, Object> TRANSPORT = Map.of("transport", "tcp");

  private final Grid caller;
  private final String callee;
  private final WarmUp warmUp;
  private final Consumer<Figure> figures;
  private final Random random = new Random(1);
  private final Variable x = Variable.of(BenchLayer.random(random, 1, BATCH, INPUTS));
  private final Variable labels = Variable.of(labels(random));

  MlpBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.warmUp = new WarmUp(caller, callee);
    this.figures = figures;
  }

  private static Tensor labels(Random random) {
    return Tensor.wrap(random.longs(BATCH, 0, CLASSES).toArray(), BATCH);
  }

  void run() {
    distributed();
    local();
    figures.accept(warmUp.figure("mlp"));
  }

  private void distributed() {
    BenchLayer second = new BenchLayer(HIDDEN, CLASSES, 1);
    List<RRef<Variable>> parameters = new ArrayList<>();
    RRefs rrefs = RRefs.on(caller);
    try (RRef<BenchLayer> first = rrefs.remote(callee, BenchLayer::new, INPUTS, HIDDEN, 0L)) {
      parameters.addAll(first.sync(BenchLayer::parameters));
      second.variables().forEach(variable -> parameters.add(rrefs.local(variable)));
      try (DistributedOptimizer optimizer = DistributedOptimizer.create(caller, SGD, parameters)) {
        train(first, second, optimizer);
      }
    } finally {
      parameters.forEach(RRef::close);
    }
  }

  private void train(RRef<BenchLayer> first, BenchLayer second, DistributedOptimizer optimizer) {
    Training training = new Training(caller, first, second, optimizer, x, labels);
    double firstLoss = training.step(new long[PHASES]);
    rate("mlp_first_steps", Sampling.time(() -> training.step(new long[PHASES]), 0, FIRST));
    warmUp.run(() -> training.step(new long[PHASES]));
    long[][] nanos = Sampling.phases(PHASES, STEPS, training::step);
    double lastLoss = training.step(new long[PHASES]);
    if (!(lastLoss < firstLoss / 2)) {
      throw new IllegalStateException("the loss went from " + firstLoss + " to " + lastLoss);
    }
    figures.accept(Figure.latency("mlp_forward", TRANSPORT, nanos[0]));
    figures.accept(Figure.latency("mlp_backward", TRANSPORT, nanos[1]));
    figures.accept(Figure.latency("mlp_optimizer_step", TRANSPORT, nanos[2]));
    figures.accept(Figure.latency("mlp_total_step", TRANSPORT, nanos[3]));
    rate("mlp_steps", nanos[3]);
  }

  /** What a step needs; {@link #step} makes one. */
  private record Training(
      Grid caller,
      RRef<BenchLayer> first,
      BenchLayer second,
      DistributedOptimizer optimizer,
      Variable x,
      Variable labels) {
    /**
     * Makes a step.
     *
     * @param nanos gets the times of the forward and the backward pass, the optimizer, and all
     * @return the loss before it
     */
    double step(long[] nanos) {
      long start = System.nanoTime();
      double lost;
      try (Context context = Autograd.on(caller).open()) {
        Variable hidden = first.sync(BenchLayer::forward, x);
        Variable loss = second.linear(hidden).crossEntropy(labels);
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
  }

  private void local() {
    BenchLayer first = new BenchLayer(INPUTS, HIDDEN, 0);
    BenchLayer second = new BenchLayer(HIDDEN, CLASSES, 1);
    List<Variable> parameters = new ArrayList<>(first.variables());
    parameters.addAll(second.variables());
    LocalOptimizer optimizer = LocalOptimizer.of(SGD, parameters);
    Runnable step =
        () -> {
          optimizer.zeroGrad();
          second.linear(first.forward(x)).crossEntropy(labels).backward();
          optimizer.step();
        };
    rate("mlp_local_steps", Sampling.time(step, LOCAL_WARM_UP, LOCAL_STEPS));
  }

  private void rate(String name, long[] nanos) {
    rate(name, nanos.length, Arrays.stream(nanos).sum());
  }

  private void rate(String name, int steps, long nanos) {
    figures.accept(Figure.rate(name, TRANSPORT, "steps/s", steps, nanos));
  }
}
