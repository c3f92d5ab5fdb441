package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;

/**
 * The vector norm of order {@code p}, 2 by default: (sum of |x|^p)^(1/p); the greatest |x| for an
 * infinite p, the least for a negative infinite one, the number of elements that are not 0 for 0.
 *
 * <p>The gradient is g * sign(x) * (|x| / norm)^(p - 1), and 0 where the norm is 0; of an infinite
 * p, equal elements share it. The order of factors, torch's, decides where infinities become NaN.
 */
public final class VectorNorm extends DimReduction {
  public VectorNorm() {
    super("norm", "p");
  }

  private double p(Attributes attributes) {
    return attributes.number(name(), "p", 2);
  }

  @Override
  public DType dtype(TensorType input, int[] dims, Attributes attributes) {
    requireFloats(input);
    double p = p(attributes);
    if (Double.isNaN(p)) {
      throw bad("p=NaN is no order of a norm");
    }
    if (p < 0 || Double.isInfinite(p)) {
      requireElements(input, dims);
    }
    return input.dtype();
  }

  @Override
  public Term reduce(Term x, int[] dims, Attributes attributes) {
    double p = p(attributes);
    if (p == 0) {
      return x.equal(0).from(1).sum(dims);
    }
    if (p == 2) {
      return x.squared().sum(dims).sqrt();
    }
    Term size = x.abs();
    if (Double.isInfinite(p)) {
      return size.reduce(p > 0 ? Reduction.MAX : Reduction.MIN, dims);
    }
    return p == 1 ? size.sum(dims) : size.power(p).sum(dims).power(1 / p);
  }

  @Override
  public Term gradient(Term g, Saved saved, int[] dims) {
    double p = p(saved.attributes());
    Term x = input(g, saved);
    Term norm = output(g, saved);
    if (p == 0) {
      return g.times(0);
    }
    if (p == 1) {
      return x.sign().times(g);
    }
    if (p == 2) {
      return g.times(norm.equal(0).choose(0, x.over(norm)));
    }
    Term size = x.abs();
    if (Double.isInfinite(p)) {
      Term reached = size.equal(norm).apply(Backend.Binary.MAX, size.isNaN());
      return x.sign().times(g.over(reached.sum(dims)).times(reached));
    }
    if (p < 1) {
      Term scaled = x.sign().times(x.equal(0).choose(0, size.power(p - 1)));
      return scaled.times(g).times(norm.power(1 - p));
    }
    Term scaled = p < 2 ? x.sign().times(size.power(p - 1)) : x.times(size.power(p - 2));
    return scaled.times(norm.equal(0).choose(0, g.over(norm.power(p - 1))));
  }
}
