package io.hazelgrad.autograd.internal.ops;

import static io.hazelgrad.autograd.internal.ops.Pointwise.Domain.ANY;
import static io.hazelgrad.autograd.internal.ops.Pointwise.Domain.FLOATS;
import static io.hazelgrad.autograd.internal.ops.Pointwise.Domain.NUMBERS;
import static io.hazelgrad.autograd.internal.ops.Pointwise.Needs.INPUT;
import static io.hazelgrad.autograd.internal.ops.Pointwise.Needs.NOTHING;
import static io.hazelgrad.autograd.internal.ops.Pointwise.Needs.OUTPUT;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.Pointwise.Domain;
import io.hazelgrad.autograd.internal.ops.Pointwise.Needs;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** Functions of one element: the elementary ones and activations, with their derivatives. */
public final class Activations {
  private static final double SQRT_2 = Math.sqrt(2);
  private static final double SQRT_PI = Math.sqrt(Math.PI);

  private Activations() {}

  public static List<Operation> all() {
    return List.of(
        of("neg", NUMBERS, x -> x.negative(), NOTHING, (g, unused) -> g.negative()),
        of("abs", NUMBERS, x -> x.abs(), INPUT, (g, x) -> g.times(x.sign())),
        of("sign", NUMBERS, x -> x.sign(), NOTHING, Activations::flat),
        of("floor", FLOATS, x -> x.apply(Unary.FLOOR), NOTHING, Activations::flat),
        of(
            "ceil",
            FLOATS,
            x -> x.negative().apply(Unary.FLOOR).negative(),
            NOTHING,
            Activations::flat),
        of("square", NUMBERS, x -> x.squared(), INPUT, (g, x) -> g.times(x.times(2))),
        of("exp", ANY, x -> x.exp(), OUTPUT, (g, y) -> g.times(y)),
        of("expm1", ANY, x -> x.apply(Unary.EXPM1), OUTPUT, (g, y) -> g.times(y.plus(1))),
        of("log", ANY, x -> x.log(), INPUT, (g, x) -> g.over(x)),
        of("log1p", ANY, x -> x.apply(Unary.LOG1P), INPUT, (g, x) -> g.over(x.plus(1))),
        of("sqrt", ANY, x -> x.sqrt(), OUTPUT, (g, y) -> g.over(y.times(2))),
        of(
            "rsqrt",
            ANY,
            x -> x.sqrt().reciprocal(),
            OUTPUT,
            (g, y) -> g.times(-0.5).times(y.cubed())),
        of(
            "reciprocal",
            ANY,
            x -> x.reciprocal(),
            OUTPUT,
            (g, y) -> g.negative().times(y.squared())),
        of("sin", ANY, x -> x.apply(Unary.SIN), INPUT, (g, x) -> g.times(x.apply(Unary.COS))),
        of(
            "cos",
            ANY,
            x -> x.apply(Unary.COS),
            INPUT,
            (g, x) -> g.times(x.apply(Unary.SIN).negative())),
        of(
            "erf",
            ANY,
            x -> x.apply(Unary.ERF),
            INPUT,
            (g, x) -> g.times(x.squared().negative().exp().times(2 / SQRT_PI))),
        of("tanh", ANY, x -> x.tanh(), OUTPUT, (g, y) -> g.tanhGradient(y)),
        of("sigmoid", ANY, x -> x.sigmoid(), OUTPUT, (g, y) -> g.sigmoidGradient(y)),
        of(
            "log_sigmoid",
            FLOATS,
            x -> x.apply(Unary.LOG_SIGMOID),
            INPUT,
            (g, x) -> g.times(x.negative().sigmoid())),
        of(
            "relu",
            NUMBERS,
            x -> x.apply(Unary.RELU),
            OUTPUT,
            (g, y) -> g.apply(Binary.RELU_GRADIENT, y)),
        new Pointwise(
            "leaky_relu",
            FLOATS,
            (x, a) -> positive(x).choose(x, x.times(slope(a))),
            INPUT,
            (g, x, a) -> positive(x).choose(g, g.times(slope(a))),
            "negative_slope"),
        new Pointwise(
            "elu",
            FLOATS,
            (x, a) -> positive(x).choose(x, x.apply(Unary.EXPM1).times(alpha(a))),
            INPUT,
            (g, x, a) -> x.atMost(0).choose(g.times(x.exp().times(alpha(a))), g),
            "alpha"),
        of("silu", FLOATS, x -> x.times(x.sigmoid()), INPUT, Activations::siluGradient),
        new Pointwise(
            "softplus",
            FLOATS,
            Activations::softplus,
            INPUT,
            Activations::softplusGradient,
            "beta",
            "threshold"),
        new Gelu());
  }

  /** Returns an operation without attributes. */
  private static Pointwise of(
      String name,
      Domain domain,
      UnaryOperator<Term> formula,
      Needs needs,
      BinaryOperator<Term> derivative) {
    return new Pointwise(
        name, domain, (x, a) -> formula.apply(x), needs, (g, kept, a) -> derivative.apply(g, kept));
  }

  /** Returns the gradient of a function of steps: zeros. */
  private static Term flat(Term g, Term unused) {
    return g.of(Tensor.zeros(g.tensor().dtype(), g.tensor().shape()).to(g.tensor().device()));
  }

  private static Term positive(Term x) {
    return x.constant(0).less(x);
  }

  private static double slope(Attributes attributes) {
    return attributes.number("leaky_relu", "negative_slope", 0.01);
  }

  private static double alpha(Attributes attributes) {
    return attributes.number("elu", "alpha", 1);
  }

  private static Term siluGradient(Term g, Term x) {
    Term s = x.sigmoid();
    return g.times(s.times(x.times(s.from(1)).plus(1)));
  }

  /** log(1 + e^(beta x)) / beta; x itself above the threshold. */
  private static Term softplus(Term x, Attributes attributes) {
    Term z = x.times(beta(attributes));
    Term soft = z.negative().apply(Unary.LOG_SIGMOID).negative().over(beta(attributes));
    return above(z, attributes).choose(x, soft);
  }

  private static Term softplusGradient(Term g, Term x, Attributes attributes) {
    Term z = x.times(beta(attributes));
    return above(z, attributes).choose(g, g.times(z.sigmoid()));
  }

  private static Term above(Term z, Attributes attributes) {
    return z.constant(attributes.number("softplus", "threshold", 20)).less(z);
  }

  private static double beta(Attributes attributes) {
    return attributes.number("softplus", "beta", 1);
  }

  /**
   * x times the normal distribution function (Hendrycks and Gimpel 2016), exact with {@code
   * approximate} none, else by their formula with tanh.
   */
  private static final class Gelu extends AbstractOperation {
    private static final double CUBE = 0.044715;
    private static final double SCALE = SQRT_2 / SQRT_PI;

    Gelu() {
      super("gelu", 1, 1, "approximate");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      requireFloats(inputs.get(0));
      boolean unused = exact(attributes);
      return inputs.get(0);
    }

    private boolean exact(Attributes attributes) {
      String approximate = attributes.text(name(), "approximate", "none");
      if (!List.of("none", "tanh").contains(approximate)) {
        throw bad("approximate=" + approximate + " must be none or tanh");
      }
      return approximate.equals("none");
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Term x = new Term(backend, inputs.get(0));
      FusedKernels fused = backend.fused(inputs.get(0).dtype());
      if (fused != null && exact(attributes)) {
        return Computed.of(fused.gelu(x.tensor()), x.tensor());
      }
      Term twice = (exact(attributes) ? x.over(SQRT_2).apply(Unary.ERF) : tanh(x)).plus(1);
      return Computed.of(x.times(0.5).times(twice).tensor(), x.tensor());
    }

    private static Term tanh(Term x) {
      return x.cubed().times(CUBE).plus(x).times(SCALE).tanh();
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Term x = new Term(backend, saved.tensors().get(0));
      FusedKernels fused = backend.fused(gradOutput.dtype());
      if (fused != null && exact(saved.attributes())) {
        return fused.geluGradient(gradOutput, x.tensor());
      }
      Term slope;
      if (exact(saved.attributes())) {
        Term density = x.squared().times(-0.5).exp().over(SQRT_2 * SQRT_PI);
        slope = x.over(SQRT_2).apply(Unary.ERF).plus(1).times(0.5).plus(x.times(density));
      } else {
        Term t = tanh(x);
        Term inner = x.squared().times(3 * CUBE).plus(1).times(SCALE);
        Term right = x.times(0.5).times(t.squared().from(1)).times(inner);
        slope = t.plus(1).times(0.5).plus(right);
      }
      return x.of(gradOutput).times(slope).tensor();
    }
  }
}
