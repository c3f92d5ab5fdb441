package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parameters that one optimizer has in this process, in their order.
 *
 * <p>Threads: safe, as the slots are.
 */
record ParameterSlots(List<ParameterSlot> all) {
  /** Refuses a parameter that is there twice: its steps would count twice. */
  ParameterSlots {
    all = List.copyOf(all);
    Set<Variable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < all.size(); i++) {
      if (!seen.add(all.get(i).parameter())) {
        throw new GridException(
            Status.BAD_ARGUMENT, "a parameter was given twice; the second time it is number " + i);
      }
    }
  }

  double[] norms(Function<Variable, @Nullable Tensor> gradients) {
    return all.stream().mapToDouble(slot -> slot.norm(gradients)).toArray();
  }

  /**
   * Makes a step for every parameter that has a gradient; one that fails does not keep the others
   * from it.
   *
   * @throws GridException the first failure, after all
   */
  int step(Function<Variable, @Nullable Tensor> gradients, double[] rates, double scale) {
    int changed = 0;
    GridException failure = null;
    for (ParameterSlot slot : all) {
      try {
        changed += slot.step(gradients, rates, scale) ? 1 : 0;
      } catch (GridException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return changed;
  }
}
