package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.internal.ops.Pairwise;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * A loss of each element of a and target, both broadcast and promoted. Then {@code reduction}: the
 * mean by default, the sum, or none.
 */
abstract class ElementLoss extends AbstractOperation {
  ElementLoss(String name, int maxInputs, String... more) {
    super(name, 2, maxInputs, concat(more, "reduction"));
  }

  /** Reads the attribute reduction. */
  static String reduction(String operation, Attributes attributes) {
    String reduction = attributes.text(operation, "reduction", "mean");
    if (!List.of("mean", "sum", "none").contains(reduction)) {
      throw OperationErrors.bad(operation, "reduction=" + reduction + " must be mean, sum or none");
    }
    return reduction;
  }

  /** The loss of each element. */
  abstract Term loss(List<Term> inputs, Attributes attributes);

  /** The derivative of the loss of each element with regard to input 0 or 1. */
  abstract Term slope(List<Term> inputs, int input, Attributes attributes);

  /** Checks what a subclass adds. */
  void checkMore(List<TensorType> inputs, Attributes attributes) {}

  @Override
  public boolean differentiable(int input) {
    return input < 2;
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    DType dtype = Promotion.result(inputs);
    if (!dtype.isFloating()) {
      throw bad("takes floating-point elements: " + inputs);
    }
    long[] shape = ShapeRules.broadcast(name(), inputs.get(0).shape(), inputs.get(1).shape());
    checkMore(inputs, attributes);
    for (TensorType more : inputs.subList(2, inputs.size())) {
      if (!Arrays.equals(ShapeRules.broadcast(name(), more.shape(), shape), shape)) {
        throw bad("does not broadcast to " + Arrays.toString(shape) + ": " + more);
      }
    }
    TensorType whole = new TensorType(name(), dtype, shape);
    return reduction(name(), attributes).equals("none") ? whole : new TensorType(dtype);
  }

  private static List<Term> terms(Backend backend, List<Tensor> inputs, DType dtype) {
    return inputs.stream().map(x -> new Term(backend, x.to(dtype))).toList();
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    DType dtype = Pairwise.commonType(inputs);
    Term loss = loss(terms(backend, inputs, dtype), attributes);
    String reduction = reduction(name(), attributes);
    if (!reduction.equals("none")) {
      int[] dims = ShapeRules.allDims(loss.tensor().rank());
      loss = (reduction.equals("mean") ? loss.mean(dims) : loss.sum(dims)).reshape();
    }
    return new Computed(loss.tensor(), inputs);
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    Attributes attributes = saved.attributes();
    Term slope = slope(terms(backend, saved.tensors(), gradOutput.dtype()), input, attributes);
    Term g = slope.of(gradOutput);
    if (reduction(name(), attributes).equals("mean")) {
      g = g.over(slope.tensor().size());
    }
    return slope.times(g).tensor();
  }
}
