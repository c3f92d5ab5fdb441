package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/** The state of {@link Adam} and {@link AdamW}, which differ in the weight decay only. */
final class AdamState extends ArrayState {
  private final Adam adam;
  private final double decoupledDecay;
  private final Vector mean = keep("exp_avg", 0);
  private final Vector squares = keep("exp_avg_sq", 0);
  private final @Nullable Vector greatest;
  private final Vector divisor = scratch();
  private double shrink;
  private double root;

  /** Creates the state; {@code decoupledDecay} is AdamW's, which is not added to the gradient. */
  AdamState(Adam adam, double decoupledDecay, Tensor parameter) {
    super(parameter, adam.weightDecay(), adam.maximize());
    this.adam = adam;
    this.decoupledDecay = decoupledDecay;
    this.greatest = adam.amsgrad() ? keep("max_exp_avg_sq", 0) : null;
  }

  @Override
  void begin(double step) {
    shrink = 1 - rate * decoupledDecay;
    rate /= 1 - Math.pow(adam.beta1(), step);
    root = Math.sqrt(1 - Math.pow(adam.beta2(), step));
  }

  @Override
  void update(Vector value) {
    if (decoupledDecay != 0) {
      value.scale(shrink);
    }
    mean.average(adam.beta1(), gradient);
    squares.averageSquares(adam.beta2(), gradient);
    if (greatest == null) {
      divisor.apply(Op.SET, 1, squares);
    } else {
      greatest.apply(Op.MAX, 1, squares);
      divisor.apply(Op.SET, 1, greatest);
    }
    divisor.apply(Op.SQRT, 1);
    divisor.apply(Op.DIVIDE_SCALAR, root);
    divisor.apply(Op.ADD_SCALAR, adam.epsilon());
    value.apply(Op.ADD_QUOTIENT, -rate, mean, divisor);
  }
}
