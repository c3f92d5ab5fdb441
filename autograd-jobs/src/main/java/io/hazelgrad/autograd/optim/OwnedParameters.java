package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a {@link DistributedOptimizer} that lives on an owner of parameters, and the names by
 * which it is called.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
final class OwnedParameters {
  static final Function<OwnedParameters> MAKE =
      Function.named(
          OwnedParameters.class, "new", List.class, int[].class, int[].class, List.class);
  static final Function<Integer> SIZE = Function.named(OwnedParameters.class, "size");
  static final Function<double[]> NORMS = Function.named(OwnedParameters.class, "norms");
  static final Function<Integer> STEP =
      Function.named(OwnedParameters.class, "step", double[].class, double.class);
  static final Function<Snapshot> EXPORT =
      Function.named(OwnedParameters.class, "export", int.class, boolean.class);
  static final Function<Integer> STAGE =
      Function.named(OwnedParameters.class, "stage", int.class, Snapshot.class);
  static final Function<Integer> COMMIT = Function.named(OwnedParameters.class, "commit");
  static final Function<Integer> DISCARD = Function.named(OwnedParameters.class, "discard");

  private final Slots slots;

  /**
   * Takes parameters that this worker owns.
   *
   * @param optimizers those of all groups
   * @param groups for each parameter the number of its group
   * @param numbers for each parameter its number among those of all owners, for errors
   */
  OwnedParameters(
      List<Optimizer> optimizers, int[] groups, int[] numbers, List<RRef<Variable>> parameters) {
    List<Slot> all = new ArrayList<>();
    for (int i = 0; i < numbers.length; i++) {
      RRef<Variable> parameter = parameters.get(i);
      String name = "parameter " + numbers[i] + " (" + parameter.id() + ")";
      all.add(new Slot(name, parameter.localValue(), optimizers.get(groups[i]), groups[i]));
    }
    slots = new Slots(all);
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

  Snapshot export(int index, boolean withValue) {
    return slots.all().get(index).export(withValue);
  }

  int stage(int index, Snapshot snapshot) {
    slots.all().get(index).stage(snapshot);
    return 1;
  }

  int commit() {
    slots.all().forEach(Slot::commit);
    return size();
  }

  int discard() {
    slots.all().forEach(Slot::discard);
    return size();
  }
}
