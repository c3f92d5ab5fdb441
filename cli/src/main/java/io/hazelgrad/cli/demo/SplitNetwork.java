package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;

/**
 * A network with one stage on each worker, and its optimizer. The trainer holds references only.
 */
final class SplitNetwork implements AutoCloseable {
  private static final double LEARNING_RATE = 0.05;
  private static final double MOMENTUM = 0.9;
  private static final int AT_ONCE = 500;

  private final List<RRef<Stage>> stages = new ArrayList<>();
  private final List<RRef<Variable>> parameters = new ArrayList<>();
  private final DistributedOptimizer optimizer;

  /** Creates stage {@code index} of {@code count} on a worker. */
  @FunctionalInterface
  interface Maker {
    RRef<Stage> make(RRefs rrefs, String worker, int index, int count);
  }

  SplitNetwork(GridAccess grid, List<String> workers, Maker maker) {
    try {
      for (int i = 0; i < workers.size(); i++) {
        stages.add(maker.make(RRefs.on(grid), workers.get(i), i, workers.size()));
      }
      stages.forEach(stage -> parameters.addAll(stage.sync(Stage::parameters)));
      optimizer =
          DistributedOptimizer.create(
              grid, Sgd.of(LEARNING_RATE).withMomentum(MOMENTUM), parameters);
    } catch (Throwable e) {
      closeReferences();
      throw e;
    }
  }

  Variable forward(Tensor pixels) {
    Variable x = Variable.of(pixels);
    for (RRef<Stage> stage : stages) {
      x = stage.sync(Stage::forward, x);
    }
    return x;
  }

  /** Returns the accuracy, from 0 to 1. */
  double accuracy(ImageSet images) {
    int right = 0;
    for (ImageSet batch : images.batches(AT_ONCE)) {
      right += batch.recognised(forward(batch.pixels()).value());
    }
    return (double) right / images.size();
  }

  /** Returns the gradients of all parameters in a context. */
  List<Tensor> gradients(Context context) {
    return context.within(
        () -> {
          List<Tensor> all = new ArrayList<>();
          stages.forEach(stage -> all.addAll(stage.sync(Stage::gradients)));
          return all;
        });
  }

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
