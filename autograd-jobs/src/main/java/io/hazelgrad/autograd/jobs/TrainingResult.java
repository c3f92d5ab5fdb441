package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/**
 * The outcome of a training job.
 *
 * @param step the number of steps that were made
 * @param model the values of all parameters and buffers by name, for {@code Module.load}
 * @param losses the mean losses of the last steps, at most 10,000, FLOAT64 {@code [steps]}
 * @param figures the last evaluation
 * @param recoveries the last losses and arrivals of trainers, at most 1,000
 * @param work the shares of the processes that have taken part
 */
@RemoteValue
public record TrainingResult(
    long step,
    Map<String, Tensor> model,
    Tensor losses,
    Map<String, Double> figures,
    List<Recovery> recoveries,
    List<TrainerWork> work) {
  /** Copies the collections. */
  public TrainingResult {
    model = Map.copyOf(model);
    figures = Map.copyOf(figures);
    recoveries = List.copyOf(recoveries);
    work = List.copyOf(work);
  }
}
