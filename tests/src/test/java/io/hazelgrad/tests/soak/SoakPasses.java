package io.hazelgrad.tests.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;

/** The backward pass of the soak, and its function. */
@RemoteFunctions
final class SoakPasses {
  private SoakPasses() {}

  static Variable square(Variable x) {
    return x.mul(x);
  }

  /** Runs a pass over a worker. */
  static void run(Autograd autograd, Rpc rpc, String worker) {
    try (Context context = autograd.open()) {
      Variable x = Variable.parameter(Tensor.full(DType.FLOAT64, 2, 4));
      context.backward(rpc.sync(worker, SoakPasses::square, x).sum());
      assertThat(context.gradients()).hasSize(1);
    }
  }
}
