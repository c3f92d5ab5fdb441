package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.internal.ops.DimReduction;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Softmax and its relatives. They subtract the maximum first, so that nothing overflows. */
public final class Softmax {
  private Softmax() {}

  public static List<Operation> all() {
    return List.of(new Shares("softmax", false), new Shares("log_softmax", true), new LogSumExp());
  }

  private static int[] dims(Term x, int dim) {
    return x.tensor().rank() == 0 ? new int[0] : new int[] {dim};
  }

  /** Returns kernels for the softmax along a dimension, which must be the last one; or null. */
  static @Nullable FusedKernels fused(Term x, int dim) {
    Tensor tensor = x.tensor();
    boolean rows = tensor.rank() > 0 && dim == tensor.rank() - 1 && tensor.size() > 0;
    return rows ? x.backend().fused(tensor.dtype()) : null;
  }

  /** Returns e^(x - max) divided by the sum of that. */
  static Term softmax(Term x, int dim) {
    FusedKernels fused = fused(x, dim);
    if (fused != null) {
      return x.of(fused.softmax(x.tensor(), 1, false));
    }
    Term power = x.minus(x.reduce(Reduction.MAX, dims(x, dim))).exp();
    return power.over(power.sum(dims(x, dim)));
  }

  /** Returns x - max - log(sum(e^(x - max))): no exponent is above 0. */
  static Term logSoftmax(Term x, int dim) {
    Term shifted = x.minus(x.reduce(Reduction.MAX, dims(x, dim)));
    return shifted.minus(shifted.exp().sum(dims(x, dim)).log());
  }

  /** Returns g - softmax * sum(g), with softmax = e^output. */
  static Term logSoftmaxGradient(Term g, Term output, int dim) {
    return g.minus(output.exp().times(g.sum(dims(g, dim))));
  }

  /** e^x divided by the sum of all e^x along {@code dim}, or the logarithm of that. */
  private static final class Shares extends AbstractOperation {
    private final boolean logarithm;

    Shares(String name, boolean logarithm) {
      super(name, 1, 1, "dim");
      this.logarithm = logarithm;
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      requireFloats(inputs.get(0));
      int unused = dim("dim", inputs.get(0).shape(), attributes);
      return inputs.get(0);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Term x = new Term(backend, inputs.get(0));
      int dim = dim("dim", inputs.get(0).shape(), attributes);
      Tensor output = (logarithm ? logSoftmax(x, dim) : softmax(x, dim)).tensor();
      return Computed.of(output, output);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      int dim = dim("dim", gradOutput.shape(), saved.attributes());
      Term g = new Term(backend, gradOutput);
      Term y = g.of(saved.tensors().get(0));
      FusedKernels fused = fused(g, dim);
      if (fused != null && !logarithm) {
        return fused.softmaxGradient(gradOutput, y.tensor(), 1);
      }
      Term gradient =
          logarithm
              ? logSoftmaxGradient(g, y, dim)
              : y.times(g.minus(g.times(y).sum(dims(g, dim))));
      return gradient.tensor();
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
