package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.ShapeRules;
import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.internal.ops.DimReduction;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** Softmax and its relatives. They subtract the maximum first, so that nothing overflows. */
public final class Softmax {
  private Softmax() {}

  public static List<Operation> all() {
    return List.of(
        new Normalised("softmax", false), new Normalised("log_softmax", true), new LogSumExp());
  }

  /** Returns e^(x - max) divided by the sum of that. */
  static Tensor softmax(Backend backend, Tensor x, int dim) {
    int[] dims = x.rank() == 0 ? new int[0] : new int[] {dim};
    Term term = new Term(backend, x);
    Term power = term.minus(term.reduce(Reduction.MAX, dims)).exp();
    return power.over(power.sum(dims)).tensor();
  }

  /** Returns x - max - log(sum(e^(x - max))): no exponent is above 0. */
  static Tensor logSoftmax(Backend backend, Tensor x, int dim) {
    int[] dims = x.rank() == 0 ? new int[0] : new int[] {dim};
    Term term = new Term(backend, x);
    Term shifted = term.minus(term.reduce(Reduction.MAX, dims));
    return shifted.minus(shifted.exp().sum(dims).log()).tensor();
  }

  /** Returns g - softmax * sum(g), with softmax = e^output. */
  static Tensor logSoftmaxGradient(Backend backend, Tensor gradOutput, Tensor output, int dim) {
    int[] dims = output.rank() == 0 ? new int[0] : new int[] {dim};
    Term g = new Term(backend, gradOutput);
    return g.minus(g.of(output).exp().times(g.sum(dims))).tensor();
  }

  /** e^x divided by the sum of all e^x along {@code dim}, or the logarithm of that. */
  private static final class Normalised extends AbstractOperation {
    private final boolean logarithm;

    Normalised(String name, boolean logarithm) {
      super(name, 1, 1, "dim");
      this.logarithm = logarithm;
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      if (!input.dtype().isFloating()) {
        throw bad("takes floating-point elements: " + input);
      }
      int unused = dim(input.shape(), attributes);
      return input;
    }

    private int dim(long[] shape, Attributes attributes) {
      return ShapeRules.dim(name(), "dim", attributes.integer(name(), "dim"), shape);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      int dim = dim(x.shape(), attributes);
      Tensor output = logarithm ? logSoftmax(backend, x, dim) : softmax(backend, x, dim);
      return Computed.of(output, output);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      int dim = dim(gradOutput.shape(), saved.attributes());
      Tensor output = saved.tensors().get(0);
      if (logarithm) {
        return logSoftmaxGradient(backend, gradOutput, output, dim);
      }
      int[] dims = output.rank() == 0 ? new int[0] : new int[] {dim};
      Term g = new Term(backend, gradOutput);
      Term y = g.of(output);
      return y.times(g.minus(g.times(y).sum(dims))).tensor();
    }
  }

  /** The logarithm of the sum of all e^x. */
  private static final class LogSumExp extends DimReduction {
    LogSumExp() {
      super("logsumexp");
    }

    @Override
    public DType dtype(TensorType input, int[] dims, Attributes attributes) {
      requireFloats(input);
      return input.dtype();
    }

    @Override
    public Term reduce(Term x, int[] dims, Attributes attributes) {
      Term max = x.reduce(Reduction.MAX, dims);
      // An infinite maximum would make NaN of infinity less infinity.
      Term infinite = max.abs().equal(Double.POSITIVE_INFINITY);
      Term shift = infinite.choose(0, max);
      return x.minus(shift).exp().sum(dims).log().plus(shift);
    }

    @Override
    public Term gradient(Term g, Saved saved, int[] dims) {
      return g.times(input(g, saved).minus(output(g, saved)).exp());
    }
  }
}
