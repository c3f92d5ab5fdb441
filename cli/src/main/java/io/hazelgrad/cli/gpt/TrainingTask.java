package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Rpc;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * The part of one worker in a training.
 *
 * @param training the training
 * @param worker the number of the worker, from 0
 * @param workers the names of all workers
 * @param parallelism the way in which they share the training
 * @param withState whether the report has the trained parameters
 */
@RemoteValue
record TrainingTask(
    TrainingCase training,
    int worker,
    List<String> workers,
    Parallelism parallelism,
    boolean withState) {
  TrainingTask {
    workers = List.copyOf(workers);
  }

  /** Begins a training on all workers; returns their reports in the order of the workers. */
  static List<CompletableFuture<WorkerReport>> begin(
      GridAccess grid,
      TrainingCase training,
      List<String> workers,
      Parallelism parallelism,
      boolean withState) {
    Rpc rpc = grid.rpc().within(Duration.ZERO);
    return IntStream.range(0, workers.size())
        .mapToObj(i -> new TrainingTask(training, i, workers, parallelism, withState))
        .map(task -> rpc.async(workers.get(task.worker), TrainingFunctions::train, task))
        .toList();
  }

  /** Returns the number of stages of each pipeline; 1 without pipelines. */
  int stages() {
    int layers = training.shape().layers();
    return switch (parallelism) {
      case NONE, DATA -> 1;
      case PIPELINE -> Math.min(workers.size(), layers);
      case BOTH ->
          IntStream.rangeClosed(2, Math.min(workers.size(), layers))
              .filter(stages -> workers.size() % stages == 0)
              .findFirst()
              .orElse(1);
    };
  }

  /**
   * Returns the number of workers that have something to do: a pipeline may have too few layers.
   */
  int busyWorkers() {
    return parallelism == Parallelism.PIPELINE ? stages() : workers.size();
  }
}
