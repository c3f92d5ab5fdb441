package io.hazelgrad.bench;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.DistributedOptimizer;
import io.hazelgrad.autograd.optim.LocalOptimizer;
import io.hazelgrad.autograd.optim.Sgd;
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
  private static final int WARM_UP = 5_000;

  /** The steps of the warm-up that are timed as well. */
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
  private final Consumer<Figure> figures;
  private final Random random = new Random(1);
  private final Variable x = Variable.of(BenchLayer.random(random, 1, BATCH, INPUTS));
  private final Variable labels = Variable.of(labels(random));

  MlpBench(Grid caller, String callee, Consumer<Figure> figures) {
    this.caller = caller;
    this.callee = callee;
    this.figures = figures;
  }

  private static Tensor labels(Random random) {
    return Tensor.wrap(random.longs(BATCH, 0, CLASSES).toArray(), BATCH);
  }

  void run() {
    distributed();
    local();
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
    long[] forward = new long[STEPS];
    long[] backward = new long[STEPS];
    long[] step = new long[STEPS];
    long[] total = new long[STEPS];
    long begin = System.nanoTime();
    double firstLoss = 0;
    double lastLoss = 0;
    for (int i = -WARM_UP; i < STEPS; i++) {
      long start = System.nanoTime();
      Context context = Autograd.on(caller).open();
      long computed;
      long differentiated;
      long stepped;
      try {
        Variable hidden = first.sync(BenchLayer::forward, x);
        Variable loss = second.linear(hidden).crossEntropy(labels);
        computed = System.nanoTime();
        context.backward(loss);
        differentiated = System.nanoTime();
        optimizer.step(context);
        stepped = System.nanoTime();
        lastLoss = loss.value().item();
      } finally {
        context.close();
      }
      if (i == -WARM_UP) {
        firstLoss = lastLoss;
      }
      if (i == FIRST - WARM_UP - 1) {
        rate("mlp_first_steps", FIRST, System.nanoTime() - begin);
      }
      if (i >= 0) {
        forward[i] = computed - start;
        backward[i] = differentiated - computed;
        step[i] = stepped - differentiated;
        total[i] = System.nanoTime() - start;
      }
    }
    if (!(lastLoss < firstLoss / 2)) {
      throw new IllegalStateException("the loss went from " + firstLoss + " to " + lastLoss);
    }
    figures.accept(Figure.latency("mlp_forward", TRANSPORT, forward));
    figures.accept(Figure.latency("mlp_backward", TRANSPORT, backward));
    figures.accept(Figure.latency("mlp_optimizer_step", TRANSPORT, step));
    figures.accept(Figure.latency("mlp_total_step", TRANSPORT, total));
    rate("mlp_steps", total);
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
    rate("mlp_local_steps", Sampling.time(step, WARM_UP, LOCAL_STEPS));
  }

  private void rate(String name, long[] nanos) {
    rate(name, nanos.length, Arrays.stream(nanos).sum());
  }

  private void rate(String name, int steps, long nanos) {
    figures.accept(Figure.rate(name, TRANSPORT, "steps/s", steps, nanos));
  }
}
