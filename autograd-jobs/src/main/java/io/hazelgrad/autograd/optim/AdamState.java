package io.hazelgrad.autograd.optim;

import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/** What {@link Adam} and {@link AdamW} remember; they differ in the weight decay only. */
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

  /** For Adam, or AdamW, whose weight decay is decoupled from the gradient. */
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
      value.multiply(shrink);
    } else if (adam.weightDecay() != 0) {
      gradient.add(value, adam.weightDecay());
    }
    mean.multiply(adam.beta1());
    mean.add(gradient, 1 - adam.beta1());
    squares.multiply(adam.beta2());
    squares.addProduct(gradient, gradient, 1 - adam.beta2());
    if (greatest == null) {
      divisor.set(squares, 1);
    } else {
      greatest.max(squares);
      divisor.set(greatest, 1);
    }
    divisor.sqrt();
    divisor.divide(root);
    divisor.add(adam.epsilon());
    value.addQuotient(mean, divisor, -rate);
  }
}
