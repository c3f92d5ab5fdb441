package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Reduction;
import java.util.Map;

/** Trains the whole model with this worker's rows of each batch. */
final class DataParallelTraining implements StepTraining {
  private final TrainingCase training;
  private final Collective collective;
  private final CharTransformer model;
  private final DataParallel parallel;
  private final LocalOptimizer optimizer;
  private final int from;
  private final int to;
  private long rows;

  /** The workers, which this closes, have equal parts of the rows, as far as they divide. */
  DataParallelTraining(TrainingCase training, Collective collective) {
    this.training = training;
    this.collective = collective;
    int size = training.batches().size();
    this.from = collective.rank() * size / collective.size();
    this.to = (collective.rank() + 1) * size / collective.size();
    this.model = training.model();
    this.parallel = DataParallel.of(collective, model);
    this.optimizer = LocalOptimizer.of(training.optimizer(), model.parameters());
  }

  @Override
  public double step(int step) {
    double sum = 0;
    if (from == to) {
      parallel.skip();
    } else {
      Variable loss = training.loss(model, training.batches().batch(step, from, to));
      parallel.backward(loss, to - from);
      sum = loss.value().item() * (to - from);
      rows += to - from;
    }
    optimizer.step(parallel::gradient);
    parallel.zeroGrad();
    Tensor all = collective.allReduce(Tensor.scalar(sum), Reduction.SUM).join();
    return all.item() / training.batches().size();
  }

  @Override
  public Map<String, Tensor> state() {
    return model.state();
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public long bytes() {
    return collective.bytesSent();
  }

  @Override
  public void close() {
    parallel.close();
    collective.close();
  }
}
