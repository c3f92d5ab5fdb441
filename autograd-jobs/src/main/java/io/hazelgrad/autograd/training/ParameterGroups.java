package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;

/** Parameters in groups, each with an optimizer of its own; numbered in the order given. */
final class ParameterGroups<P> {
  private final List<Optimizer> optimizers = new ArrayList<>();
  private final List<P> parameters = new ArrayList<>();
  private final List<Integer> groups = new ArrayList<>();

  void add(Optimizer optimizer, List<? extends P> more) {
    more.forEach(each -> groups.add(optimizers.size()));
    parameters.addAll(more);
    optimizers.add(optimizer);
  }

  /** Requires that there is something to optimize. */
  void check() {
    if (parameters.isEmpty()) {
      throw new GridException(Status.BAD_ARGUMENT, "no parameters to optimize were given");
    }
  }

  List<Optimizer> optimizers() {
    return List.copyOf(optimizers);
  }

  List<P> parameters() {
    return List.copyOf(parameters);
  }

  /** Returns the number of a parameter's group. */
  int group(int parameter) {
    return groups.get(parameter);
  }
}
