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
 * A network whose stages live on workers, one stage on each, with its optimizer. The trainer holds
 * references only.
 */
final class SplitNetwork implements AutoCloseable {
  private static final double LEARNING_RATE = 0.05;
  private static final double MOMENTUM = 0.9;
  private static final int AT_ONCE = 500;

  private final List<RRef<Stage>> stages = new ArrayList<>();
  private final List<RRef<Variable>> parameters = new ArrayList<>();
  private final DistributedOptimizer optimizer;

  /** Makes the stage that belongs on one of the workers. */
  @FunctionalInterface
  interface Maker {
    RRef<Stage> make(RRefs rrefs, String worker, int index);
  }

  /** Makes a network with one stage on each worker. */
  SplitNetwork(GridAccess grid, List<String> workers, Maker maker) {
    try {
      for (int i = 0; i < workers.size(); i++) {
        stages.add(maker.make(RRefs.on(grid), workers.get(i), i));
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

  /** Makes a network for the bundled digits, of at least two layers in all. */
  static SplitNetwork ofDigits(GridAccess grid, List<String> workers, long seed) {
    int n = workers.size();
    int layers = Math.max(2, n);
    return new SplitNetwork(
        grid,
        workers,
        (rrefs, worker, i) ->
            rrefs.remote(
                worker, Stage::ofDigits, i * layers / n, (i + 1) * layers / n, layers, seed));
  }

  /** Makes a network for MNIST. */
  static SplitNetwork ofMnist(GridAccess grid, List<String> workers, long seed) {
    int n = workers.size();
    int layers = Stage.MNIST_LAYERS;
    return new SplitNetwork(
        grid,
        workers,
        (rrefs, worker, i) ->
            rrefs.remote(worker, Stage::ofMnist, i * layers / n, (i + 1) * layers / n, seed));
  }

  /** Returns the scores of these pixels. */
  Variable forward(Tensor pixels) {
    Variable x = Variable.of(pixels);
    for (RRef<Stage> stage : stages) {
      x = stage.sync(Stage::forward, x);
    }
    return x;
  }

  /** Returns which part of the pictures is recognised. */
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
