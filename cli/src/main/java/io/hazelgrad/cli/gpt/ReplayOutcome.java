package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.jobs.TrainerWork;
import java.util.List;

/**
 * The outcome of a training of a file.
 *
 * @param losses the loss of each step
 * @param kills the number of workers that were killed meanwhile
 * @param repeated the number of steps that were made again
 * @param work the work of each process
 */
record ReplayOutcome(List<Double> losses, int kills, long repeated, List<TrainerWork> work) {
  ReplayOutcome {
    losses = List.copyOf(losses);
    work = List.copyOf(work);
  }

  /** Trains a case of a file. */
  interface CaseTrainer {
    /** Trains; throws a GridException if that fails. */
    ReplayOutcome train(TrainingCase training);
  }
}
