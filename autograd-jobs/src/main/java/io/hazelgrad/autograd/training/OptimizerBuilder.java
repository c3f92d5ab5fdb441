package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of an optimizer that is being built: parameters in groups, each with an optimizer of
 * its own, numbered in the order given. Not safe for several threads.
 */
abstract sealed class OptimizerBuilder<P, B extends OptimizerBuilder<P, B>>
    permits LocalOptimizer.Builder, DistributedOptimizer.Builder {
  final List<Optimizer> optimizers = new ArrayList<>();
  final List<P> parameters = new ArrayList<>();

  /** For each parameter the number of its group. */
  final List<Integer> groups = new ArrayList<>();

  Schedule schedule = Schedule.constant();
  double maxNorm = Double.POSITIVE_INFINITY;

  abstract B self();

  /** Adds a group of parameters with an optimizer of its own. */
  public final B parameters(Optimizer optimizer, List<P> more) {
    more.forEach(each -> groups.add(optimizers.size()));
    parameters.addAll(more);
    optimizers.add(optimizer);
    return self();
  }

  /** Sets the schedule of the learning rates of all groups; without one they stay. */
  public final B schedule(Schedule newSchedule) {
    schedule = newSchedule;
    return self();
  }

  /** Scales gradients down before each step to a norm, of all of them together, of at most this. */
  public final B clipNorm(double newMaxNorm) {
    if (!(newMaxNorm > 0 && Double.isFinite(newMaxNorm))) {
      throw new GridException(
          Status.BAD_ARGUMENT, "clipNorm=" + newMaxNorm + ", but it must be a number above 0");
    }
    maxNorm = newMaxNorm;
    return self();
  }
}
