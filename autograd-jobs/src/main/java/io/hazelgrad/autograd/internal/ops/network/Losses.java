package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Loss functions. */
public final class Losses {
  private Losses() {}

  public static List<Operation> all() {
    return List.of(
        new SquaredError(),
        new AbsoluteError(),
        new SmoothAbsoluteError(),
        new CrossEntropy(),
        new CrossEntropyOfLogits(),
        new ClassLoss("nll_loss", false),
        new ClassLoss("cross_entropy", true));
  }

  private static Term difference(List<Term> inputs) {
    return inputs.get(0).minus(inputs.get(1));
  }

  /** (a - target)^2. */
  private static final class SquaredError extends ElementLoss {
    SquaredError() {
      super("mse_loss", 2);
    }

    @Override
    Term loss(List<Term> inputs, Attributes attributes) {
      return difference(inputs).squared();
    }

    @Override
    Term slope(List<Term> inputs, int input, Attributes attributes) {
      return difference(inputs).times(input == 0 ? 2 : -2);
    }
  }

  /** |a - target|. */
  private static final class AbsoluteError extends ElementLoss {
    AbsoluteError() {
      super("l1_loss", 2);
    }

    @Override
    Term loss(List<Term> inputs, Attributes attributes) {
      return difference(inputs).abs();
    }

    @Override
    Term slope(List<Term> inputs, int input, Attributes attributes) {
      Term sign = difference(inputs).sign();
      return input == 0 ? sign : sign.negative();
    }
  }

  /** With d = |a - target|: d^2 / (2 beta) where d is less than beta, else d - beta / 2. */
  private static final class SmoothAbsoluteError extends ElementLoss {
    SmoothAbsoluteError() {
      super("smooth_l1_loss", 2, "beta");
    }

    private double beta(Attributes attributes) {
      return attributes.number(name(), "beta", 1);
    }

    @Override
    void checkMore(List<TensorType> inputs, Attributes attributes) {
      if (!(beta(attributes) >= 0)) {
        throw bad("beta=" + beta(attributes) + " must not be negative");
      }
    }

    @Override
    Term loss(List<Term> inputs, Attributes attributes) {
      double beta = beta(attributes);
      Term d = difference(inputs).abs();
      return d.less(beta).choose(d.squared().times(0.5).over(beta), d.minus(0.5 * beta));
    }

    @Override
    Term slope(List<Term> inputs, int input, Attributes attributes) {
      double beta = beta(attributes);
      Term d = difference(inputs);
      Term slope = d.abs().less(beta).choose(d.over(beta), d.sign());
      return input == 0 ? slope : slope.negative();
    }
  }

  /**
   * -(target log(a) + (1 - target) log(1 - a)) * weight, of probabilities. Logarithms below -100
   * count as -100, so that the loss stays finite.
   */
  private static final class CrossEntropy extends ElementLoss {
    private static final double LEAST_LOG = -100;

    /** The least a * (1 - a) that the gradient divides by; torch has it in single precision. */
    private static final double LEAST_PRODUCT = 1e-12f;

    CrossEntropy() {
      super("bce", 3);
    }

    @Override
    void checkMore(List<TensorType> inputs, Attributes attributes) {
      requireOneShape(name(), inputs);
    }

    @Override
    public void checkValues(List<Tensor> inputs, Attributes attributes) {
      Tensor a = inputs.get(0);
      for (int i = 0; i < a.size(); i++) {
        double value = a.storage().getDouble(i);
        if (!(value >= 0 && value <= 1)) {
          throw bad("a[" + i + "]=" + value + " is not within [0, 1]");
        }
      }
    }

    private static Term log(Term a) {
      return a.log().apply(Binary.MAX, LEAST_LOG);
    }

    private static Term logRest(Term a) {
      return a.negative().apply(Unary.LOG1P).apply(Binary.MAX, LEAST_LOG);
    }

    private static Term weighted(Term term, List<Term> inputs) {
      return inputs.size() > 2 ? term.times(inputs.get(2)) : term;
    }

    @Override
    Term loss(List<Term> inputs, Attributes attributes) {
      Term a = inputs.get(0);
      Term t = inputs.get(1);
      Term loss = t.minus(1).times(logRest(a)).minus(t.times(log(a)));
      return weighted(loss, inputs);
    }

    @Override
    Term slope(List<Term> inputs, int input, Attributes attributes) {
      Term a = inputs.get(0);
      Term t = inputs.get(1);
      Term slope =
          input == 0
              ? a.minus(t).over(a.times(a.from(1)).apply(Binary.MAX, LEAST_PRODUCT))
              : logRest(a).minus(log(a));
      return weighted(slope, inputs);
    }
  }

  /**
   * The same of sigmoid(a), computed so that nothing overflows: ((1 - target) a - v
   * log(sigmoid(a))) * weight, where v = 1 + (pos_weight - 1) target. The third input is
   * pos_weight, the fourth weight.
   */
  private static final class CrossEntropyOfLogits extends ElementLoss {
    CrossEntropyOfLogits() {
      super("bce_with_logits", 4);
    }

    @Override
    void checkMore(List<TensorType> inputs, Attributes attributes) {
      requireOneShape(name(), inputs);
    }

    private static Term weighted(Term term, List<Term> inputs) {
      return inputs.size() > 3 ? term.times(inputs.get(3)) : term;
    }

    @Override
    Term loss(List<Term> inputs, Attributes attributes) {
      Term a = inputs.get(0);
      Term t = inputs.get(1);
      Term log = a.apply(Unary.LOG_SIGMOID);
      if (inputs.size() > 2) {
        log = log.times(inputs.get(2).minus(1).times(t).plus(1));
      }
      return weighted(t.from(1).times(a).minus(log), inputs);
    }

    @Override
    Term slope(List<Term> inputs, int input, Attributes attributes) {
      Term a = inputs.get(0);
      Term t = inputs.get(1);
      if (input == 1) {
        Term log = a.apply(Unary.LOG_SIGMOID);
        Term positive = inputs.size() > 2 ? log.times(inputs.get(2).minus(1)) : log.times(0);
        return weighted(a.negative().minus(positive), inputs);
      }
      Term positive = inputs.size() > 2 ? t.times(inputs.get(2)) : t;
      Term total = positive.plus(1).minus(t);
      return weighted(total.times(a.sigmoid()).minus(positive), inputs);
    }
  }

  private static void requireOneShape(String operation, List<TensorType> inputs) {
    if (!Arrays.equals(inputs.get(0).shape(), inputs.get(1).shape())) {
      throw OperationErrors.bad(operation, "a and target must have one shape: " + inputs);
    }
  }
}
