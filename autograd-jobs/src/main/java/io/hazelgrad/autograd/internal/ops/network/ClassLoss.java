package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The negative log-likelihood of target classes. The first input has log-probabilities, or
 * unnormalised ones (logits) with {@code logits}, of shape {@code [C]} or {@code [N, C, ..]}; the
 * second has INT64 classes, of that shape without C; the optional third a weight per class.
 *
 * <p>Per position: w[t] * (1 - s) * -p[t] + s / C * sum over c of w[c] * -p[c], where s is {@code
 * label_smoothing}; one with {@code ignore_index} has no loss. The mean divides by the sum of w[t].
 */
final class ClassLoss extends AbstractOperation {
  private static final long IGNORED = -100;

  private final boolean logits;

  ClassLoss(String name, boolean logits, String... attributes) {
    super(name, 2, 3, attributes);
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
          "target must be INT64 class indices of shape=%s: a is %s, target %s"
              .formatted(Arrays.toString(shape), input, target));
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
            "target[%s]=%s is not within [0, %s] and is not ignore_index=%s"
                .formatted(i, value, classes - 1, ignored));
      }
    }
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    Term p = new Term(backend, inputs.get(0));
    int rank = inputs.get(0).rank();
    int dim = classDim(rank);
    if (logits) {
      p = Softmax.logSoftmax(p, dim);
    }
    Tensor index = index(inputs.get(1), attributes);
    Term one = p.constant(1);
    boolean weighted = inputs.size() == 3;
    Term classWeights = weighted ? p.of(alongClasses(inputs.get(2), rank)) : one;
    Term weight =
        weighted
            ? pick(p.of(backend.expand(classWeights.tensor(), p.tensor().shape())), dim, index)
            : unlessIgnored(one, dim, index);
    // Negated by 0 - x, which unlike -x has no negative zero.
    Term loss = pick(p, dim, index).from(0).times(weight);
    double smoothing = smoothing(attributes);
    if (smoothing > 0) {
      Term all = p.times(classWeights).sum(dim).reshape(index.shape());
      Term smooth = unlessIgnored(all, dim, index).from(0).times(smoothing / p.count(dim));
      loss = loss.times(1 - smoothing).plus(smooth);
    }
    Term total = one;
    String reduction = ElementLoss.reduction(name(), attributes);
    if (!reduction.equals("none")) {
      loss = loss.sumAll();
    }
    if (reduction.equals("mean")) {
      total = weight.sumAll();
      loss = loss.over(total);
    }
    List<Tensor> saved = new ArrayList<>(List.of(index, weight.tensor(), total.tensor()));
    if (logits) {
      saved.addAll(List.of(classWeights.tensor(), p.tensor()));
    }
    return new Computed(loss.tensor(), saved);
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    List<Tensor> kept = saved.tensors();
    long[] shape = saved.inputs().get(0).shape();
    int dim = classDim(shape.length);
    long[] oneClass = ShapeRules.keeping(shape, dim);
    Tensor index = kept.get(0);
    double smoothing = smoothing(saved.attributes());
    Term g = new Term(backend, gradOutput);
    Term loss = g.over(g.of(kept.get(2)));
    Tensor ofTarget = loss.times(g.of(kept.get(1))).times(smoothing - 1).tensor();
    Term gradient =
        g.of(backend.scatter(ofTarget.reshape(oneClass), dim, index.reshape(oneClass), shape));
    if (smoothing > 0) {
      Term ofAll = unlessIgnored(loss, dim, index).times(-smoothing / shape[dim]);
      gradient = gradient.plus(ofAll.reshape(oneClass).times(g.of(kept.get(3))));
    }
    return logits
        ? Softmax.logSoftmaxGradient(gradient, g.of(kept.get(4)), dim).tensor()
        : gradient.tensor();
  }

  /** Returns the targets with -1, which picks and places nothing, for the ignored ones. */
  private Tensor index(Tensor target, Attributes attributes) {
    long ignored = attributes.integer(name(), "ignore_index", IGNORED);
    long[] index = target.toLongs();
    if (Arrays.stream(index).noneMatch(each -> each == ignored)) {
      return target; // It may lie on a device already.
    }
    Arrays.setAll(index, i -> index[i] == ignored ? -1 : index[i]);
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
  private static Term unlessIgnored(Term x, int dim, Tensor index) {
    long[] zeroOrIgnored = index.toLongs();
    Arrays.setAll(zeroOrIgnored, i -> Math.min(0, zeroOrIgnored[i]));
    Tensor expanded = x.backend().expand(x.tensor(), index.shape());
    return pick(
        x.of(expanded.reshape(ShapeRules.withOne(index.shape(), dim))),
        dim,
        Tensor.wrap(zeroOrIgnored, index.shape()));
  }

  /** Returns one element along the classes per position; 0 where the index is negative. */
  private static Term pick(Term x, int dim, Tensor index) {
    long[] oneClass = ShapeRules.keeping(x.tensor().shape(), dim);
    Tensor picked = x.backend().gather(x.tensor(), dim, index.reshape(oneClass));
    return x.of(picked.reshape(index.shape()));
  }
}
