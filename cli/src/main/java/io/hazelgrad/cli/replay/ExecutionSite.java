package io.hazelgrad.cli.replay;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.Map;

/**
 * Where steps run: on a worker, or in a thin client that has the part of a worker.
 *
 * @param grid the worker or the client
 * @param name the worker's name
 * @param leaves the leaves that the program gives it
 */
record ExecutionSite(GridAccess grid, String name, Map<String, Variable> leaves) {
  Autograd autograd() {
    return Autograd.on(grid);
  }

  RRefs rrefs() {
    return RRefs.on(grid);
  }

  /** Makes an object of a value: here, or for a client, which owns none, on its worker. */
  RRef<?> share(Object value) {
    return grid instanceof Grid
        ? rrefs().local(value)
        : rrefs().remote(name, Function.of(ReplayFunctions::same), value);
  }
}
