package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/**
 * What an optimizer remembers, without the values of the parameters.
 *
 * @param parameters for each parameter, in the order in which they were given, what {@link
 *     Optimizer.State#export()} returned: torch's names, and {@code step} for the number of steps;
 *     empty for one that made no step yet
 * @param scheduleStep how often the schedule was advanced
 */
@RemoteValue
public record OptimizerState(List<Map<String, Tensor>> parameters, long scheduleStep) {
  /** Copies the lists and checks the step: BAD_ARGUMENT. */
  public OptimizerState {
    parameters = parameters.stream().map(Map::copyOf).toList();
    NumberChecks.require(scheduleStep >= 0, "scheduleStep", (double) scheduleStep, "at least 0");
  }
}
