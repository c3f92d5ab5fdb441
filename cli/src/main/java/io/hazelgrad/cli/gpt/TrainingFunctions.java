package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;

/** The remote function by which a worker takes part in a training. */
@RemoteFunctions
final class TrainingFunctions {
  private TrainingFunctions() {}

  /** Does this worker's part of a training. */
  static WorkerReport train(TrainingTask task) {
    LocalTraining training = new LocalTraining(task.training());
    List<Double> losses = new ArrayList<>();
    for (int step = 0; step < task.training().steps(); step++) {
      double loss = training.step(step);
      if (!Double.isFinite(loss)) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the loss of step %d is %s; a smaller learning rate may help".formatted(step, loss));
      }
      losses.add(loss);
    }
    return new WorkerReport(losses, ProcessHandle.current().pid(), training.rows(), 0);
  }
}
