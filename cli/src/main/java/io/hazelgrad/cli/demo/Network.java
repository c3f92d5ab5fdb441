package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.DistributedOptimizer;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;

/**
 * A network whose stages live on workers, one stage on each, with its optimizer. The trainer holds
 * references only.
 */
final class Network implements AutoCloseable {
  private static final double LEARNING_RATE = 0.05;
  private static final double MOMENTUM = 0.9;

  private final List<RRef<Stage>> stages = new ArrayList<>();
  private final List<RRef<Variable>> parameters = new ArrayList<>();
  private final DistributedOptimizer optimizer;

  /** Makes the stages on these workers, at least two layers in all. */
  Network(Grid grid, List<String> workers, long seed) {
    try {
      int layers = Math.max(2, workers.size());
      for (int i = 0; i < workers.size(); i++) {
        int from = i * layers / workers.size();
        int to = (i + 1) * layers / workers.size();
        stages.add(RRefs.on(grid).remote(workers.get(i), Stage::new, from, to, layers, seed));
      }
      for (RRef<Stage> stage : stages) {
        parameters.addAll(stage.sync(Stage::parameters));
      }
      optimizer =
          DistributedOptimizer.create(
              grid, Sgd.of(LEARNING_RATE).withMomentum(MOMENTUM), parameters);
    } catch (Throwable e) {
      closeReferences();
      throw e;
    }
  }

  /** Returns the scores of these pixels. */
  Variable forward(Tensor pixels) {
    Variable x = Variable.of(pixels);
    for (RRef<Stage> stage : stages) {
      x = stage.sync(Stage::forward, x);
    }
    return x;
  }

  /** Lets every worker change its parameters by the gradients of the context. */
  void step(Context context) {
    optimizer.step(context);
  }

  @Override
  public void close() {
    optimizer.close();
    closeReferences();
  }

  private void closeReferences() {
    parameters.forEach(RRef::close);
    stages.forEach(RRef::close);
  }
}
