package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An optimizer for parameters of one worker, made there by {@link DistributedOptimizer}.
 *
 * <p>Threads: safe. Steps of several optimizers on one parameter follow each other.
 */
@RemoteFunctions
public final class LocalOptimizer {
  private final List<Slot> slots = new ArrayList<>();

  private record Slot(Variable parameter, Optimizer.State state) {}

  /** Makes an optimizer for parameters that this worker owns. */
  public LocalOptimizer(Optimizer optimizer, List<RRef<Variable>> parameters) {
    for (RRef<Variable> parameter : parameters) {
      Variable variable = parameter.localValue();
      if (!variable.requiresGrad()) {
        throw new GridException(
            Status.BAD_ARGUMENT, parameter + " needs no gradient, so there is nothing to optimize");
      }
      slots.add(new Slot(variable, optimizer.newState()));
    }
  }

  /** Returns how many parameters this optimizes. */
  public int size() {
    return slots.size();
  }

  /**
   * Makes a step with the gradients that the current context has for the parameters; one without a
   * gradient stays as it is. Returns how many were changed.
   */
  public int step() {
    Context context = Autograd.on(Grid.current()).current();
    if (context == null) {
      throw new GridException(Status.BAD_ARGUMENT, "step() needs an autograd context");
    }
    Map<Variable, Tensor> gradients = context.gradients();
    int changed = 0;
    for (Slot slot : slots) {
      Tensor gradient = gradients.get(slot.parameter);
      if (gradient != null) {
        synchronized (slot.parameter) {
          slot.parameter.set(slot.state.step(slot.parameter.value(), gradient));
        }
        changed++;
      }
    }
    return changed;
  }
}
