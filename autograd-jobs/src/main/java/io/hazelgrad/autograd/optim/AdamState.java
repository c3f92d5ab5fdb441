package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/** The state of {@link Adam} and {@link AdamW}, which differ in the weight decay only. */
final class AdamState extends ArrayState {
  private final Adam adam;
  private final boolean decoupled;
  private final Vector mean = keep("exp_avg", 0);
  private final Vector squares = keep("exp_avg_sq", 0);
  private final @Nullable Vector greatest;
  private final Vector divisor = scratch();
  private double shrink;
  private double rate;
  private double root;

  /** Creates the state of Adam, or of AdamW, whose weight decay is decoupled from the gradient. */
  AdamState(Adam adam, boolean decoupled, Tensor parameter) {
    super(parameter, adam.maximize());
    this.adam = adam;
    this.decoupled = decoupled;
    this.greatest = adam.amsgrad() ? keep("max_exp_avg_sq", 0) : null;
  }

  @Override
  void begin(double step, double learningRate) {
    shrink = 1 - learningRate * adam.weightDecay();
    rate = learningRate / (1 - Math.pow(adam.beta1(), step));
    root = Math.sqrt(1 - Math.pow(adam.beta2(), step));
  }

  @Override
  void update(Vector value) {
    if (decoupled) {
      value.apply(Vector.Op.SCALE, shrink);
    } else if (adam.weightDecay() != 0) {
      gradient.apply(Vector.Op.ADD, adam.weightDecay(), value);
    }
    mean.apply(Vector.Op.SCALE, adam.beta1());
    mean.apply(Vector.Op.ADD, 1 - adam.beta1(), gradient);
    squares.apply(Vector.Op.SCALE, adam.beta2());
    squares.apply(Vector.Op.ADD_PRODUCT, 1 - adam.beta2(), gradient, gradient);
    if (greatest == null) {
      divisor.apply(Vector.Op.SET, 1, squares);
    } else {
      greatest.apply(Vector.Op.MAX, squares);
      divisor.apply(Vector.Op.SET, 1, greatest);
    }
    divisor.apply(Vector.Op.SQRT, 1);
    divisor.apply(Vector.Op.DIVIDE_SCALAR, root);
    divisor.apply(Vector.Op.ADD_SCALAR, adam.epsilon());
    value.apply(Vector.Op.ADD_QUOTIENT, -rate, mean, divisor);
  }
}
