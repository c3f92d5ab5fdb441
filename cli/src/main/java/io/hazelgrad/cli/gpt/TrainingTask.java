package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/**
 * The part of one worker in a training.
 *
 * @param training the training
 * @param worker the number of the worker, from 0
 * @param workers the names of all workers
 * @param parallelism the way in which they share the training
 */
@RemoteValue
record TrainingTask(
    TrainingCase training, int worker, List<String> workers, Parallelism parallelism) {
  TrainingTask {
    workers = List.copyOf(workers);
  }
}
