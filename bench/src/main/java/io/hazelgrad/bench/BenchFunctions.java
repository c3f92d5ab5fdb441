package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;

/** Functions that the benchmark calls on the other worker. */
@RemoteFunctions
public final class BenchFunctions {
  private BenchFunctions() {}

  /** Does nothing. */
  public static void noop() {}

  /** Adds. */
  public static Variable add(Variable a, Variable b) {
    return a.add(b);
  }

  /** Takes a tensor, and says that it is done with it. */
  public static void take(Tensor tensor) {
    tensor.release();
  }

  /** Returns the tensor that it gets. */
  public static Tensor echo(Tensor tensor) {
    return tensor;
  }
}
