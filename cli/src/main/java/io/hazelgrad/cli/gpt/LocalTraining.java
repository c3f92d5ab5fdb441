package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Map;

/** Trains the whole model in this process. */
final class LocalTraining implements StepTraining {
  private final TrainingCase training;
  private final CharTransformer model;
  private final LocalOptimizer optimizer;
  private long rows;

  LocalTraining(TrainingCase training) {
    this.training = training;
    this.model = training.model();
    this.optimizer = LocalOptimizer.of(training.optimizer(), model.parameters());
  }

  @Override
  public double step(int step) {
    TextBatches batches = training.batches();
    int size = batches.size() / training.micro();
    Tensor share = Tensor.full(DType.FLOAT32, 1.0 / training.micro());
    Variable weight = Variable.of(share.to(training.device()));
    double sum = 0;
    for (int row = 0; row < batches.size(); row += size) {
      Variable loss = training.loss(model, batches.batch(step, row, row + size));
      // The gradients of the mean of all micro-batches add up.
      loss.mul(weight).backward();
      sum += loss.value().item();
      rows += size;
    }
    optimizer.step();
    optimizer.zeroGrad();
    return sum / training.micro();
  }

  @Override
  public Map<String, Tensor> state() {
    return model.state();
  }

  @Override
  public long rows() {
    return rows;
  }
}
