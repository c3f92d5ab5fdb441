package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.ShapeRules;
import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Normalisation: (x - mean) / sqrt(variance + eps) * weight + bias. Mean and variance (divided by
 * the number of elements) are those of x itself over some dimensions, or given ones.
 *
 * <p>With n = (x - mean) * r, r = 1 / sqrt(variance + eps) and h = g * weight, the gradient of x is
 * r * (h - mean(h) - n * mean(h * n)) if x determines mean and variance (Ioffe and Szegedy 2015),
 * else r * h; that of weight is the sum of g * n, that of bias the sum of g.
 */
public final class Normalisation {
  private static final double EPS = 1e-5;

  private Normalisation() {}

  public static List<Operation> all() {
    return List.of(new LayerNorm(), new BatchNorm());
  }

  private static double eps(String operation, Attributes attributes) {
    double eps = attributes.number(operation, "eps", EPS);
    if (!(eps >= 0)) {
      throw OperationErrors.bad(operation, "eps=" + eps + " must not be negative");
    }
    return eps;
  }

  private static void requireSame(
      String operation, List<TensorType> inputs, int from, long... shape) {
    TensorType input = inputs.get(0);
    if (!input.dtype().isFloating()) {
      throw OperationErrors.bad(operation, "takes floating-point elements: " + input);
    }
    TensorType wanted = new TensorType(operation, input.dtype(), shape);
    for (TensorType other : inputs.subList(from, inputs.size())) {
      if (!other.equals(wanted)) {
        throw OperationErrors.bad(operation, "all but the first must be " + wanted + ": " + inputs);
      }
    }
  }

  private static Term reciprocalRoot(Term variance, double eps) {
    return variance.constant(1).over(variance.plus(eps).sqrt());
  }

  private static Term gradient(Term h, Term n, Term r, int[] dims) {
    return r.times(h.minus(h.mean(dims)).minus(n.times(h.times(n).mean(dims))));
  }

  /** Over the last dimensions, {@code normalized_shape}; weight and bias have that shape. */
  private static final class LayerNorm extends AbstractOperation {
    LayerNorm() {
      super("layer_norm", 1, 3, "normalized_shape", "eps");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      long[] shape = attributes.integers(name(), "normalized_shape");
      int rank = input.rank();
      if (shape == null
          || shape.length == 0
          || shape.length > rank
          || !Arrays.equals(shape, Arrays.copyOfRange(input.shape(), rank - shape.length, rank))) {
        throw bad(
            "normalized_shape="
                + Arrays.toString(shape)
                + " is not the end of a.shape="
                + Arrays.toString(input.shape()));
      }
      requireSame(name(), inputs, 1, shape);
      double unused = eps(name(), attributes);
      return input;
    }

    private int[] dims(int rank, Attributes attributes) {
      long[] shape = attributes.integers(name(), "normalized_shape");
      int count = shape == null ? 0 : shape.length;
      return Arrays.stream(ShapeRules.allDims(rank)).filter(d -> d >= rank - count).toArray();
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Term x = new Term(backend, inputs.get(0));
      int[] dims = dims(x.tensor().rank(), attributes);
      Term centred = x.minus(x.mean(dims));
      Term r = reciprocalRoot(centred.squared().mean(dims), eps(name(), attributes));
      Term n = centred.times(r);
      Term y = n;
      if (inputs.size() > 1) {
        y = y.times(x.of(inputs.get(1)));
      }
      if (inputs.size() > 2) {
        y = y.plus(x.of(inputs.get(2)));
      }
      return inputs.size() > 1
          ? Computed.of(y.tensor(), n.tensor(), r.tensor(), inputs.get(1))
          : Computed.of(y.tensor(), n.tensor(), r.tensor());
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Term g = new Term(backend, gradOutput);
      Term n = g.of(saved.tensors().get(0));
      if (input == 1) {
        return g.times(n).tensor();
      }
      if (input == 2) {
        return gradOutput;
      }
      Term r = g.of(saved.tensors().get(1));
      Term h = saved.inputs().size() > 1 ? g.times(g.of(saved.tensors().get(2))) : g;
      int[] dims = dims(gradOutput.rank(), saved.attributes());
      return Normalisation.gradient(h, n, r, dims).tensor();
    }
  }

  /**
   * Over all dimensions but the second, of {@code [N, C, ..]}; the other inputs are running_mean,
   * running_var and optionally weight and bias, of shape {@code [C]}. With {@code training} mean
   * and variance are those of the input, and {@code running_mean_after} and {@code
   * running_var_after} move towards them by {@code momentum}, that of the variance with the
   * unbiased one; else the running ones are used and stay.
   */
  private static final class BatchNorm extends AbstractOperation {
    BatchNorm() {
      super("batch_norm", 3, 5, "training", "momentum", "eps");
    }

    @Override
    public boolean differentiable(int input) {
      return input != 1 && input != 2;
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      if (input.rank() < 2) {
        throw bad("takes a of shape [N, C, ..]: " + input);
      }
      requireSame(name(), inputs, 1, input.extent(1));
      double unusedEps = eps(name(), attributes);
      double unusedMomentum = attributes.number(name(), "momentum", 0.1);
      if (training(attributes) && input.size() == input.extent(1)) {
        throw bad("needs more than one value per channel to train: " + input);
      }
      return input;
    }

    private boolean training(Attributes attributes) {
      return attributes.flag(name(), "training", false);
    }

    private static int[] dims(int rank) {
      return Arrays.stream(ShapeRules.allDims(rank)).filter(d -> d != 1).toArray();
    }

    /** Returns a vector over the channels in a shape that broadcasts over {@code [N, C, ..]}. */
    private static Term alongChannels(Term x, Tensor vector) {
      return x.of(vector.reshape(ShapeRules.keeping(x.tensor().shape(), dims(x.tensor().rank()))));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Term x = new Term(backend, inputs.get(0));
      int[] dims = dims(x.tensor().rank());
      Tensor runningMean = inputs.get(1);
      Tensor runningVar = inputs.get(2);
      boolean training = training(attributes);
      Term mean = training ? x.mean(dims) : alongChannels(x, runningMean);
      Term centred = x.minus(mean);
      Term variance = training ? centred.squared().mean(dims) : alongChannels(x, runningVar);
      Term r = reciprocalRoot(variance, eps(name(), attributes));
      Term n = centred.times(r);
      Term y = n;
      if (inputs.size() > 3) {
        y = y.times(alongChannels(x, inputs.get(3)));
      }
      if (inputs.size() > 4) {
        y = y.plus(alongChannels(x, inputs.get(4)));
      }
      if (training) {
        double count = x.count(dims);
        runningMean = moved(x.of(runningMean), mean, attributes);
        runningVar = moved(x.of(runningVar), variance.times(count / (count - 1)), attributes);
      }
      Map<String, Tensor> more =
          Map.of(
              "running_mean_after",
              runningMean.to(inputs.get(0).dtype()),
              "running_var_after",
              runningVar.to(inputs.get(0).dtype()));
      List<Tensor> saved =
          inputs.size() > 3
              ? List.of(n.tensor(), r.tensor(), inputs.get(3))
              : List.of(n.tensor(), r.tensor());
      return new Computed(y.tensor(), saved, more);
    }

    private Tensor moved(Term running, Term now, Attributes attributes) {
      double momentum = attributes.number(name(), "momentum", 0.1);
      Term towards = now.reshape(running.tensor().shape()).times(momentum);
      return running.times(1 - momentum).plus(towards).tensor();
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Term g = new Term(backend, gradOutput);
      int[] dims = dims(gradOutput.rank());
      Term n = g.of(saved.tensors().get(0));
      if (input > 0) {
        Term sums = (input == 3 ? g.times(n) : g).sum(dims);
        return sums.tensor().reshape(saved.inputs().get(input).shape());
      }
      Term r = g.of(saved.tensors().get(1));
      Term h = saved.inputs().size() > 3 ? g.times(alongChannels(g, saved.tensors().get(2))) : g;
      boolean training = training(saved.attributes());
      return (training ? Normalisation.gradient(h, n, r, dims) : h.times(r)).tensor();
    }
  }
}
