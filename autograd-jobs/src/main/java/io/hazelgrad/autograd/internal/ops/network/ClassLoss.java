package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.ShapeRules;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.internal.ops.Reductions;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The negative log-likelihood of target classes. The first input has log-probabilities, or
 * unnormalised ones (logits) with {@code logits}, of shape {@code [C]} or {@code [N, C, ..]}; the
 * second has INT64 classes, of that shape without C; the third, which is optional, a weight per
 * class.
 *
 * <p>Per position: w[t] * (1 - s) * -p[t] + s / C * sum over c of w[c] * -p[c], where s is {@code
 * label_smoothing}; a position with {@code ignore_index} has no loss. The mean divides by the sum
 * of w[t].
 */
final class ClassLoss extends AbstractOperation {
  private static final long IGNORED = -100;

  private final boolean logits;

  ClassLoss(String name, boolean logits) {
    super(
        name,
        2,
        3,
        logits
            ? new String[] {"reduction", "ignore_index", "label_smoothing"}
            : new String[] {"reduction", "ignore_index"});
    this.logits = logits;
  }

  @Override
  public boolean differentiable(int input) {
    return input == 0;
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType input = inputs.get(0);
    TensorType target = inputs.get(1);
    if (!input.dtype().isFloating() || input.rank() == 0) {
      throw bad("takes floating-point elements of shape [C] or [N, C, ..]: a is " + input);
    }
    long[] shape = ShapeRules.without(input.shape(), classDim(input.rank()));
    if (target.dtype() != DType.INT64 || !Arrays.equals(target.shape(), shape)) {
      throw bad(
          "target must be INT64 class indices of shape="
              + Arrays.toString(shape)
              + ": a is "
              + input
              + ", target "
              + target);
    }
    if (inputs.size() == 3) {
      TensorType wanted =
          new TensorType(name(), input.dtype(), input.extent(classDim(input.rank())));
      if (!inputs.get(2).equals(wanted)) {
        throw bad("weight must be " + wanted + ": " + inputs.get(2));
      }
    }
    smoothing(attributes);
    attributes.integer(name(), "ignore_index", IGNORED);
    return ElementLoss.reduction(name(), attributes).equals("none")
        ? new TensorType(name(), input.dtype(), shape)
        : new TensorType(input.dtype());
  }

  private static int classDim(int rank) {
    return rank == 1 ? 0 : 1;
  }

  private double smoothing(Attributes attributes) {
    double smoothing = attributes.number(name(), "label_smoothing", 0);
    if (!(smoothing >= 0 && smoothing <= 1)) {
      throw bad("label_smoothing=" + smoothing + " is not within [0, 1]");
    }
    return smoothing;
  }

  @Override
  public void checkValues(List<Tensor> inputs, Attributes attributes) {
    Tensor target = inputs.get(1);
    long classes = inputs.get(0).shape(classDim(inputs.get(0).rank()));
    long ignored = attributes.integer(name(), "ignore_index", IGNORED);
    for (int i = 0; i < target.size(); i++) {
      long value = target.storage().getLong(i);
      if ((value < 0 || value >= classes) && value != ignored) {
        throw bad(
            "target["
                + i
                + "]="
                + value
                + " is not within [0, "
                + (classes - 1)
                + "] and is not ignore_index="
                + ignored);
      }
    }
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    Tensor p = inputs.get(0);
    int dim = classDim(p.rank());
    if (logits) {
      p = Softmax.logSoftmax(backend, p, dim);
    }
    Tensor index = index(inputs.get(1), attributes);
    Tensor one = Tensor.full(p.dtype(), 1);
    Tensor classWeights = inputs.size() == 3 ? alongClasses(inputs.get(2), p.rank()) : one;
    Tensor weight =
        inputs.size() == 3
            ? pick(backend, backend.expand(classWeights, p.shape()), dim, index)
            : unlessIgnored(backend, one, dim, index);
    Tensor loss = negative(backend, pick(backend, p, dim, index));
    loss = backend.binary(Binary.MUL, loss, weight);
    double smoothing = smoothing(attributes);
    if (smoothing > 0) {
      Tensor weighted = backend.binary(Binary.MUL, p, classWeights);
      Tensor all = backend.reduce(Reduction.SUM, weighted, dim).reshape(index.shape());
      Tensor smooth = negative(backend, unlessIgnored(backend, all, dim, index));
      loss = times(backend, loss, 1 - smoothing);
      smooth = times(backend, smooth, smoothing / p.shape(dim));
      loss = backend.binary(Binary.ADD, loss, smooth);
    }
    Tensor total = one;
    String reduction = ElementLoss.reduction(name(), attributes);
    if (!reduction.equals("none")) {
      loss = Reductions.sumAll(backend, loss);
    }
    if (reduction.equals("mean")) {
      total = Reductions.sumAll(backend, weight);
      loss = backend.binary(Binary.DIV, loss, total);
    }
    return logits
        ? Computed.of(loss, index, weight, total, classWeights, p)
        : Computed.of(loss, index, weight, total);
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    long[] shape = saved.inputs().get(0).shape();
    int dim = classDim(shape.length);
    Tensor index = saved.tensors().get(0);
    Tensor weight = saved.tensors().get(1);
    Tensor total = saved.tensors().get(2);
    double smoothing = smoothing(saved.attributes());
    Tensor loss = backend.binary(Binary.DIV, gradOutput, total);
    Tensor ofTarget = times(backend, backend.binary(Binary.MUL, loss, weight), smoothing - 1);
    long[] oneClass = ShapeRules.keeping(shape, dim);
    Tensor gradient =
        backend.scatter(ofTarget.reshape(oneClass), dim, index.reshape(oneClass), shape);
    if (smoothing > 0) {
      Tensor ofAll = unlessIgnored(backend, loss, dim, index);
      ofAll = times(backend, ofAll, -smoothing / shape[dim]);
      ofAll = ofAll.reshape(ShapeRules.keeping(shape, dim));
      Tensor classWeights = saved.tensors().get(3);
      ofAll = backend.binary(Binary.MUL, ofAll, classWeights);
      gradient = backend.binary(Binary.ADD, gradient, ofAll);
    }
    return logits
        ? Softmax.logSoftmaxGradient(backend, gradient, saved.tensors().get(4), dim)
        : gradient;
  }

  /** Returns the targets with -1, which picks and places nothing, for the ignored ones. */
  private Tensor index(Tensor target, Attributes attributes) {
    long ignored = attributes.integer(name(), "ignore_index", IGNORED);
    long[] index = target.toLongs();
    for (int i = 0; i < index.length; i++) {
      index[i] = index[i] == ignored ? -1 : index[i];
    }
    return Tensor.wrap(index, target.shape());
  }

  /** Returns a vector over the classes in a shape that broadcasts over {@code [N, C, ..]}. */
  private static Tensor alongClasses(Tensor weight, int rank) {
    long[] shape = new long[rank - classDim(rank)];
    Arrays.fill(shape, 1);
    shape[0] = weight.size();
    return weight.reshape(shape);
  }

  /** Returns one value per position, 0 where the target is ignored, be it NaN elsewhere. */
  private static Tensor unlessIgnored(Backend backend, Tensor x, int dim, Tensor index) {
    long[] oneClass = new long[index.rank() + 1];
    for (int i = 0; i < oneClass.length; i++) {
      oneClass[i] = i == dim ? 1 : index.shape(i < dim ? i : i - 1);
    }
    long[] zeroOrIgnored = index.toLongs();
    Arrays.setAll(zeroOrIgnored, i -> Math.min(0, zeroOrIgnored[i]));
    return pick(
        backend,
        backend.expand(x, index.shape()).reshape(oneClass),
        dim,
        Tensor.wrap(zeroOrIgnored, index.shape()));
  }

  /** Returns one element along the classes per position; 0 where the index is negative. */
  private static Tensor pick(Backend backend, Tensor x, int dim, Tensor index) {
    long[] oneClass = ShapeRules.keeping(x.shape(), dim);
    return backend.gather(x, dim, index.reshape(oneClass)).reshape(index.shape());
  }

  /** Returns 0 - x, which unlike -x has no negative zero. */
  private static Tensor negative(Backend backend, Tensor x) {
    return backend.binary(Binary.SUB, Tensor.zeros(x.dtype()), x);
  }

  private static Tensor times(Backend backend, Tensor x, double factor) {
    return factor == 1 ? x : backend.binary(Binary.MUL, x, Tensor.full(x.dtype(), factor));
  }
}
