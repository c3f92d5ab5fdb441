package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a {@link DistributedOptimizer} on an owner of parameters, and its functions.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
final class ParameterService {
  static final Function<ParameterService> MAKE =
      Function.named(
          ParameterService.class, "new", List.class, int[].class, int[].class, List.class);
  static final Function<Integer> SIZE = Function.named(ParameterService.class, "size");
  static final Function<double[]> NORMS = Function.named(ParameterService.class, "norms");
  static final Function<Integer> STEP =
      Function.named(ParameterService.class, "step", double[].class, double.class);
  static final Function<ParameterSnapshot> EXPORT =
      Function.named(ParameterService.class, "export", int.class, boolean.class);
  static final Function<Integer> STAGE =
      Function.named(ParameterService.class, "stage", int.class, ParameterSnapshot.class);
  static final Function<Integer> COMMIT = Function.named(ParameterService.class, "commit");
  static final Function<Integer> DISCARD = Function.named(ParameterService.class, "discard");

  private final ParameterSlots slots;

  /**
   * Takes parameters that this worker owns.
   *
   * @param optimizers those of all groups
   * @param groups for each parameter the number of its group
   * @param numbers for each parameter its number among those of all owners, for errors
   */
  ParameterService(
      List<Optimizer> optimizers, int[] groups, int[] numbers, List<RRef<Variable>> parameters) {
    List<ParameterSlot> all = new ArrayList<>();
    for (int i = 0; i < numbers.length; i++) {
      RRef<Variable> parameter = parameters.get(i);
      String name = "parameter " + numbers[i] + " (" + parameter.id() + ")";
      all.add(
          new ParameterSlot(name, parameter.localValue(), optimizers.get(groups[i]), groups[i]));
    }
    slots = new ParameterSlots(all);
  }

  int size() {
    return slots.all().size();
  }

  /** Returns the norms of the gradients in the context of the call. */
  double[] norms() {
    return slots.norms(context()::gradient);
  }

  /** Makes a step with the gradients in the context of the call; returns how many were changed. */
  int step(double[] rates, double scale) {
    return slots.step(context()::gradient, rates, scale);
  }

  private static Context context() {
    Context context = Autograd.on(Grid.current()).current();
    if (context == null) {
      throw new GridException(Status.BAD_ARGUMENT, "a step needs an autograd context");
    }
    return context;
  }

  ParameterSnapshot export(int index, boolean withValue) {
    return slots.all().get(index).export(withValue);
  }

  int stage(int index, ParameterSnapshot snapshot) {
    slots.all().get(index).stage(snapshot);
    return 1;
  }

  int commit() {
    slots.all().forEach(ParameterSlot::commit);
    return size();
  }

  int discard() {
    slots.all().forEach(ParameterSlot::discard);
    return size();
  }
}
