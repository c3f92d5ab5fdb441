package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.RemoteValue;
import java.util.List;
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
