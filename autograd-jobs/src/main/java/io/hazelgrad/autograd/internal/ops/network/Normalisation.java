package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.autograd.ops.FusedKernels.Normalised;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  private static void requireSame(String operation, List<TensorType> inputs, long... shape) {
    TensorType wanted = new TensorType(operation, inputs.get(0).dtype(), shape);
    if (!inputs.stream().skip(1).allMatch(wanted::equals)) {
      throw OperationErrors.bad(operation, "all but the first must be " + wanted + ": " + inputs);
    }
  }

  /** Returns n times the weight plus the bias, as far as they are there. */
  private static Term affine(Term n, List<Term> weightAndBias) {
    Term y = weightAndBias.isEmpty() ? n : n.times(weightAndBias.get(0));
    return weightAndBias.size() > 1 ? y.plus(weightAndBias.get(1)) : y;
  }

  /** Returns what the gradients need: n, r, and the weight if there is one. */
  private static List<Tensor> saved(Term n, Term r, List<Tensor> weightAndBias) {
    return weightAndBias.isEmpty()
        ? List.of(n.tensor(), r.tensor())
        : List.of(n.tensor(), r.tensor(), weightAndBias.get(0));
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
            "normalized_shape=%s is not the end of a.shape=%s"
                .formatted(Arrays.toString(shape), Arrays.toString(input.shape())));
      }
      requireFloats(input);
      requireSame(name(), inputs, shape);
      double unused = eps(name(), attributes);
      return input;
    }

    /** Returns kernels if there are elements, a weight and a bias; or null. */
    private static @Nullable FusedKernels fused(Term x, int inputs) {
      return inputs == 3 && x.tensor().size() > 0 ? x.backend().fused(x.tensor().dtype()) : null;
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
      FusedKernels fused = fused(x, inputs.size());
      if (fused != null) {
        int columns = inputs.get(1).size();
        Normalised normalised = fused.normalise(x.tensor(), columns, eps(name(), attributes));
        Tensor y = fused.affine(normalised.rows(), inputs.get(1), inputs.get(2));
        return Computed.of(y, normalised.rows(), normalised.scales(), inputs.get(1));
      }
      Term centred = x.minus(x.mean(dims));
      Term r = centred.squared().mean(dims).plus(eps(name(), attributes)).sqrt().reciprocal();
      Term n = centred.times(r);
      List<Tensor> weightAndBias = inputs.subList(1, inputs.size());
      Term y = affine(n, weightAndBias.stream().map(x::of).toList());
      return new Computed(y.tensor(), saved(n, r, weightAndBias));
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
      FusedKernels fused = fused(g, saved.inputs().size());
      if (fused != null) {
        Normalised normalised = new Normalised(n.tensor(), saved.tensors().get(1));
        return fused.normaliseGradient(gradOutput, normalised, saved.tensors().get(2));
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
      requireFloats(input);
      requireSame(name(), inputs, input.extent(1));
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
      Term r = variance.plus(eps(name(), attributes)).sqrt().reciprocal();
      Term n = centred.times(r);
      List<Tensor> weightAndBias = inputs.subList(3, inputs.size());
      Term y = affine(n, weightAndBias.stream().map(each -> alongChannels(x, each)).toList());
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
      return new Computed(y.tensor(), saved(n, r, weightAndBias), more);
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
