package io.hazelgrad.autograd.internal.runtime;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;

/** The call that runs a backward pass on the owner of its root. */
@RemoteFunctions
public final class RootCalls {
  private RootCalls() {}

  public static void backward(Variable root, boolean retainGraph) {
    Context context = Autograd.on(Grid.current()).current();
    if (context == null) {
      throw new GridException(
          Status.BAD_ARGUMENT, "call it within a context: Context.backward(rref)");
    }
    context.backward(retainGraph, root);
  }
}
