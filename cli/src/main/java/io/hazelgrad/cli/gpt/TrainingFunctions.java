package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collectives;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** The remote function by which a worker takes part in a training. */
@RemoteFunctions
final class TrainingFunctions {
  /** The losses of the first worker's training so far. This process trains one model at a time. */
  private static volatile List<Double> progress = List.of();

  private TrainingFunctions() {}

  /** Does this worker's part of a training. */
  static WorkerReport train(TrainingTask task) {
    long pid = ProcessHandle.current().pid();
    List<Double> losses = new CopyOnWriteArrayList<>();
    if (task.worker() == 0) {
      progress = losses;
    }
    if (task.worker() >= task.busyWorkers()) {
      return new WorkerReport(List.of(), pid, 0, 0, Map.of());
    }
    try (StepTraining training = training(task)) {
      for (int step = 0; step < task.training().steps(); step++) {
        double loss = training.step(step);
        if (!Double.isFinite(loss)) {
          throw new GridException(
              Status.BAD_ARGUMENT,
              "the loss of step %d is %s; a smaller learning rate may help".formatted(step, loss));
        }
        losses.add(loss);
      }
      Map<String, Tensor> state = task.withState() ? training.state() : Map.of();
      return new WorkerReport(losses, pid, training.rows(), training.bytes(), state);
    }
  }

  private static StepTraining training(TrainingTask task) {
    Collectives collectives = Collectives.on(Grid.current());
    TrainingCase training = task.training();
    return switch (task.parallelism()) {
      case NONE -> new LocalTraining(training);
      case DATA ->
          new DataParallelTraining(training, collectives.join("replay-data", task.workers()));
      case PIPELINE, BOTH ->
          new PipelineTraining(
              collectives,
              training,
              task.worker(),
              task.workers().subList(0, task.busyWorkers()),
              task.stages());
    };
  }

  /** Returns the losses of the training that runs on this worker, from a step on. */
  static List<Double> lossesFrom(int step) {
    return progress.stream().skip(step).toList();
  }
}
