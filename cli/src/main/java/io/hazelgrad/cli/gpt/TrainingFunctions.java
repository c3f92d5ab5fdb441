package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.collective.Collectives;
import java.util.ArrayList;
import java.util.List;

/** The remote function by which a worker takes part in a training. */
@RemoteFunctions
final class TrainingFunctions {
  private TrainingFunctions() {}

  /** Does this worker's part of a training. */
  static WorkerReport train(TrainingTask task) {
    try (StepTraining training = training(task)) {
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
      long pid = ProcessHandle.current().pid();
      return new WorkerReport(losses, pid, training.rows(), training.bytes());
    }
  }

  private static StepTraining training(TrainingTask task) {
    return switch (task.parallelism()) {
      case NONE -> new LocalTraining(task.training());
      case DATA ->
          new DataParallelTraining(
              task.training(),
              Collectives.on(Grid.current()).join("replay-training", task.workers()));
      case PIPELINE, BOTH ->
          throw new GridException(
              Status.BAD_ARGUMENT, "parallel=" + task.parallelism() + " is not there yet");
    };
  }
}
