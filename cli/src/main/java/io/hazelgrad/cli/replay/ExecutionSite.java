package io.hazelgrad.cli.replay;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The place where steps run: a worker, or a thin client that takes the part of a worker. It has the
 * name and the leaves of that worker.
 */
record ExecutionSite(GridAccess grid, String name, Map<String, Variable> leaves) {
  Autograd autograd() {
    return Autograd.on(grid);
  }

  RRefs rrefs() {
    return RRefs.on(grid);
  }

  /** Returns the gradients of the leaves in this thread's context, by name. */
  Map<String, Tensor> gradients() {
    Map<String, Tensor> gradients = new LinkedHashMap<>();
    Context context = autograd().current();
    if (context != null) {
      leaves.forEach(
          (name, leaf) -> {
            Tensor gradient = context.gradient(leaf);
            if (gradient != null) {
              gradients.put(name, gradient);
            }
          });
    }
    return gradients;
  }

  /** Creates an RRef to a value: here, or for a client, which owns no objects, on its worker. */
  RRef<?> share(Object value) {
    return grid instanceof Grid
        ? rrefs().local(value)
        : rrefs().remote(name, Function.of(ReplayFunctions::same), value);
  }
}
