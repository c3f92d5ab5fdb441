package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/** Loss functions. */
public final class Losses {
  private Losses() {}

  public static List<Operation> all() {
    return List.of(
        new DifferenceLoss("mse_loss", (d, a) -> d.squared(), (d, a) -> d.times(2)),
        new DifferenceLoss("l1_loss", (d, a) -> d.abs(), (d, a) -> d.sign()),
        new SmoothAbsoluteError(),
        new CrossEntropy(),
        new CrossEntropyOfLogits(),
        new ClassLoss("nll_loss", false, "reduction", "ignore_index"),
        new ClassLoss("cross_entropy", true, "reduction", "ignore_index", "label_smoothing"));
  }

  /** A loss of the difference d = a - target. */
  private static class DifferenceLoss extends ElementLoss {
    private final BiFunction<Term, Attributes, Term> loss;
    private final BiFunction<Term, Attributes, Term> slope;

    DifferenceLoss(
        String name,
        BiFunction<Term, Attributes, Term> loss,
        BiFunction<Term, Attributes, Term> slope,
        String... attributes) {
      super(name, 2, attributes);
      this.loss = loss;
      this.slope = slope;
    }

    @Override
    Term loss(List<Term> inputs, Attributes attributes) {
      return loss.apply(inputs.get(0).minus(inputs.get(1)), attributes);
    }

    @Override
    Term slope(List<Term> inputs, int input, Attributes attributes) {
      Term ofDifference = slope.apply(inputs.get(0).minus(inputs.get(1)), attributes);
      return input == 0 ? ofDifference : ofDifference.negative();
    }
  }

  /** d^2 / (2 beta) where |d| is less than beta, else |d| - beta / 2. */
  private static final class SmoothAbsoluteError extends DifferenceLoss {
    SmoothAbsoluteError() {
      super("smooth_l1_loss", SmoothAbsoluteError::loss, SmoothAbsoluteError::slope, "beta");
    }

    private static double beta(Attributes attributes) {
      return attributes.number("smooth_l1_loss", "beta", 1);
    }

    @Override
    void checkMore(List<TensorType> inputs, Attributes attributes) {
      if (!(beta(attributes) >= 0)) {
        throw bad("beta=" + beta(attributes) + " must not be negative");
      }
    }

    private static Term loss(Term difference, Attributes attributes) {
      double beta = beta(attributes);
      Term d = difference.abs();
      return d.less(beta).choose(d.squared().times(0.5).over(beta), d.minus(0.5 * beta));
    }

    private static Term slope(Term d, Attributes attributes) {
      double beta = beta(attributes);
      return d.abs().less(beta).choose(d.over(beta), d.sign());
    }
  }

  /** A loss of probabilities; the last input that it can have is a weight of each element. */
  private abstract static class ProbabilityLoss extends ElementLoss {
    ProbabilityLoss(String name, int maxInputs) {
      super(name, maxInputs);
    }

    @Override
    void checkMore(List<TensorType> inputs, Attributes attributes) {
      if (!Arrays.equals(inputs.get(0).shape(), inputs.get(1).shape())) {
        throw bad("a and target must have one shape: " + inputs);
      }
    }

    final Term weighted(Term term, List<Term> inputs) {
      return inputs.size() == maxInputs() ? term.times(inputs.get(maxInputs() - 1)) : term;
    }
  }

  /**
   * -(target log(a) + (1 - target) log(1 - a)) * weight, of probabilities. Logarithms below -100
   * count as -100, so that the loss stays finite.
   */
  private static final class CrossEntropy extends ProbabilityLoss {
    private static final double LEAST_LOG = -100;

    /** The least a * (1 - a) that the gradient divides by; torch has it in single precision. */
    private static final double LEAST_PRODUCT = 1e-12f;

    CrossEntropy() {
      super("bce", 3);
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
  private static final class CrossEntropyOfLogits extends ProbabilityLoss {
    CrossEntropyOfLogits() {
      super("bce_with_logits", 4);
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
}
