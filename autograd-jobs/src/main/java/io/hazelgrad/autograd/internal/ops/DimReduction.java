package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * An operation that reduces all elements along the dimensions {@code dim} to one; by default, all
 * dimensions. With {@code keepdim} these keep extent 1; without it they are dropped.
 */
public abstract class DimReduction extends AbstractOperation {
  public DimReduction(String name, String... more) {
    super(name, 1, 1, concat(more, "dim", "keepdim"));
  }

  /** Checks the element type and the attributes that a subclass adds; returns the output's type. */
  public abstract DType dtype(TensorType input, int[] dims, Attributes attributes);

  /** Reduces dimensions, which keep extent 1. */
  public abstract Term reduce(Term x, int[] dims, Attributes attributes);

  /**
   * Computes the gradient of the input; it may still have extent 1 in the reduced dimensions.
   *
   * @param g gradient of the output, with extent 1 in the reduced dimensions
   * @param saved has the input and the output, likewise, if {@link #saves}
   */
  public abstract Term gradient(Term g, Saved saved, int[] dims);

  /** Returns whether gradients need the input and the output. */
  boolean saves() {
    return true;
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType input = inputs.get(0);
    int[] dims = dims(input.shape(), attributes);
    return new TensorType(
        name(),
        dtype(input, dims, attributes),
        attributes.flag(name(), "keepdim", false)
            ? ShapeRules.keeping(input.shape(), dims)
            : ShapeRules.without(input.shape(), dims));
  }

  /** Returns the dimensions to reduce; none of a scalar. */
  final int[] dims(long[] shape, Attributes attributes) {
    long[] wanted = attributes.integers(name(), "dim");
    if (wanted == null || wanted.length == 0) {
      return ShapeRules.allDims(shape.length);
    }
    int[] dims = dims("dim", wanted, shape);
    if (dims.length != wanted.length) {
      throw bad(
          "dim=%s names a dimension twice: shape=%s"
              .formatted(Arrays.toString(wanted), Arrays.toString(shape)));
    }
    return shape.length == 0 ? new int[0] : dims;
  }

  /** Fails if there is nothing to reduce in one of the dimensions. */
  final void requireElements(TensorType input, int[] dims) {
    for (int dim : dims) {
      if (input.extent(dim) == 0) {
        throw bad("has nothing to take: dimension " + dim + " of " + input + " is empty");
      }
    }
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    Tensor x = inputs.get(0);
    TensorType type = type(List.of(TensorType.of(x)), attributes);
    int[] dims = dims(x.shape(), attributes);
    Term y = reduce(new Term(backend, x.to(type.dtype())), dims, attributes);
    Tensor output = y.tensor().reshape(type.shape());
    return saves() ? Computed.of(output, x, y.tensor()) : Computed.of(output);
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    long[] shape = saved.inputs().get(0).shape();
    int[] dims = dims(shape, saved.attributes());
    Term g = new Term(backend, gradOutput.reshape(ShapeRules.keeping(shape, dims)));
    Tensor gradient = gradient(g, saved, dims).tensor();
    return backend.expand(gradient, shape);
  }

  public static Term input(Term g, Saved saved) {
    return g.of(saved.tensors().get(0));
  }

  public static Term output(Term g, Saved saved) {
    return g.of(saved.tensors().get(1));
  }
}
