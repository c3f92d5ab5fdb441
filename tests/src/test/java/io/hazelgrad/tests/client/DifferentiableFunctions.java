package io.hazelgrad.tests.client;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Objects;

/** Functions of workers that clients differentiate. */
@RemoteFunctions
final class DifferentiableFunctions {
  static final double[] WEIGHTS = {1, -2, 3, 0.125};
  private static final Variable WEIGHT = Variable.parameter(Tensor.of(WEIGHTS, 4));

  private DifferentiableFunctions() {}

  static Variable times(Variable x) {
    return x.mul(WEIGHT);
  }

  static Variable sumOfTimes(Variable x) {
    return x.mul(WEIGHT).sum();
  }

  static Variable parameter(double value) {
    return Variable.parameter(Tensor.scalar(value));
  }

  static Variable scale(Variable parameter, Variable x) {
    return x.mul(parameter);
  }

  /** Returns a variable whose gradient throws. */
  static Variable breaking(Variable x) {
    Variable y = x.mul(x);
    y.hook(
        gradient -> {
          throw new GridException(Status.USER_ERROR, "broken on purpose");
        });
    return y;
  }

  /** Returns the gradient of the weight in the context of the call; zero without one. */
  static Tensor gradient() {
    Context context = Objects.requireNonNull(Autograd.on(Grid.current()).current());
    Tensor gradient = context.gradient(WEIGHT);
    return gradient == null ? Tensor.scalar(0.0) : gradient;
  }

  /** Returns the number of contexts and passes here. */
  static int left() {
    Autograd autograd = Autograd.on(Grid.current());
    return autograd.contextCount() + autograd.passCount();
  }
}
