package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.jobs.Recovery;
import io.hazelgrad.autograd.jobs.TrainerWork;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.training.OptimizerState;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/**
 * The state of a training between two steps; every trainer has the same. It is what a snapshot
 * keeps.
 *
 * @param step the number of steps that are made
 * @param model the values of parameters and buffers by name, in their order
 * @param parameters the names of the parameters among them
 * @param optimizer the state of the optimizer
 * @param journal the record of the training
 */
@RemoteValue
record TrainingState(
    long step,
    Map<String, Tensor> model,
    List<String> parameters,
    OptimizerState optimizer,
    Journal journal) {
  /** Returns the result for users. */
  TrainingResult result() {
    return new TrainingResult(
        step, model, journal.losses, journal.figures, journal.recoveries, journal.work);
  }

  /**
   * The record of a training for those who look at it.
   *
   * @param losses the losses of the last steps, FLOAT64
   * @param trainers the names of the trainers
   * @param restarts how often it went on after a change of the trainers
   * @param repeated the number of steps that were made again
   * @param recoveries the last of these changes
   * @param figures the last evaluation
   * @param best the best value of the figure of early stopping, NaN before the first one
   * @param worse the number of evaluations since then
   * @param stopped whether training ends early
   * @param work the work of each process
   */
  @RemoteValue
  record Journal(
      Tensor losses,
      List<String> trainers,
      long restarts,
      long repeated,
      List<Recovery> recoveries,
      Map<String, Double> figures,
      double best,
      int worse,
      boolean stopped,
      List<TrainerWork> work) {
    static Journal empty() {
      return new Journal(
          Tensor.of(new double[0], 0),
          List.of(),
          0,
          0,
          List.of(),
          Map.of(),
          Double.NaN,
          0,
          false,
          List.of());
    }
  }
}
