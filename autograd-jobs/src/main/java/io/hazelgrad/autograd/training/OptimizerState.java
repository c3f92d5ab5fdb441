package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
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
    if (scheduleStep < 0) {
      throw new GridException(
          Status.BAD_ARGUMENT, "scheduleStep=" + scheduleStep + ", but it must be at least 0");
    }
  }
}
