package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** Sums, products and what is made of them, along dimensions. */
public final class Reductions {
  private Reductions() {}

  public static List<Operation> all() {
    return List.of(
        new Sum("sum", false),
        new Sum("mean", true),
        new Product(),
        new Variance("var", false),
        new Variance("std", true),
        new CumulativeSum());
  }

  private static DType sumType(DType dtype) {
    return dtype.isFloating() ? dtype : DType.INT64;
  }

  /** The sum or the mean. The sum of integers is INT64. */
  private static final class Sum extends DimReduction {
    private final boolean mean;

    Sum(String name, boolean mean) {
      super(name);
      this.mean = mean;
    }

    @Override
    public DType dtype(TensorType input, int[] dims, Attributes attributes) {
      if (mean) {
        requireFloats(input);
      }
      return sumType(input.dtype());
    }

    @Override
    public Term reduce(Term x, int[] dims, Attributes attributes) {
      return mean ? x.mean(dims) : x.sum(dims);
    }

    @Override
    boolean saves() {
      return false;
    }

    @Override
    public Term gradient(Term g, Saved saved, int[] dims) {
      return mean ? g.over((double) saved.inputs().get(0).size() / g.tensor().size()) : g;
    }
  }

  /** The product. That of integers is INT64. */
  private static final class Product extends DimReduction {
    Product() {
      super("prod");
    }

    @Override
    public DType dtype(TensorType input, int[] dims, Attributes attributes) {
      return sumType(input.dtype());
    }

    @Override
    public Term reduce(Term x, int[] dims, Attributes attributes) {
      return x.reduce(Reduction.PROD, dims);
    }

    /** The product of the others: product / x, but of what is not 0 for the only one that is 0. */
    @Override
    public Term gradient(Term g, Saved saved, int[] dims) {
      Term x = input(g, saved);
      Term zero = x.equal(0);
      Term rest = zero.choose(1, x).reduce(Reduction.PROD, dims);
      Term ofZero = zero.sum(dims).equal(1).choose(rest, 0);
      return g.times(zero.choose(ofZero, output(g, saved).over(x)));
    }
  }

  /**
   * The sum of squared distances from the mean, divided by the number of elements less {@code
   * correction}, or its root. The correction is 1, or 0 if {@code unbiased} is false.
   */
  private static final class Variance extends DimReduction {
    private final boolean root;

    Variance(String name, boolean root) {
      super(name, "unbiased", "correction");
      this.root = root;
    }

    @Override
    public DType dtype(TensorType input, int[] dims, Attributes attributes) {
      requireFloats(input);
      if (attributes.has("unbiased") && attributes.has("correction")) {
        throw bad("takes unbiased or correction, not both: " + attributes);
      }
      double unused = correction(attributes);
      return input.dtype();
    }

    private double correction(Attributes attributes) {
      double usual = attributes.flag(name(), "unbiased", true) ? 1 : 0;
      return attributes.number(name(), "correction", usual);
    }

    @Override
    public Term reduce(Term x, int[] dims, Attributes attributes) {
      Term squares = x.minus(x.mean(dims)).squared().sum(dims);
      Term variance = squares.over(Math.max(0, x.count(dims) - correction(attributes)));
      return root ? variance.sqrt() : variance;
    }

    @Override
    public Term gradient(Term g, Saved saved, int[] dims) {
      Term x = input(g, saved);
      Term ofVariance = g;
      if (root) {
        Term std = output(g, saved);
        ofVariance = std.equal(0).choose(0, g.over(std.times(2)));
      }
      double degrees = x.count(dims) - correction(saved.attributes());
      return ofVariance.times(2 / degrees).times(x.minus(x.mean(dims)));
    }
  }

  /** The sums of all elements up to each along {@code dim}. Those of integers are INT64. */
  private static final class CumulativeSum extends AbstractOperation {
    CumulativeSum() {
      super("cumsum", 1, 1, "dim");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      int unused = dim("dim", input.shape(), attributes);
      return new TensorType(name(), sumType(input.dtype()), input.shape());
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor wide = inputs.get(0).to(sumType(inputs.get(0).dtype()));
      return Computed.of(cumulate(backend, wide, attributes, false));
    }

    private Tensor cumulate(Backend backend, Tensor x, Attributes attributes, boolean backwards) {
      return x.rank() == 0 ? x : backend.cumulate(x, dim("dim", x.shape(), attributes), backwards);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return cumulate(backend, gradOutput, saved.attributes(), true);
    }
  }
}
