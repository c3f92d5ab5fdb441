package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/** The greatest and the least element along dimensions. */
public final class Extremes {
  private Extremes() {}

  public static List<Operation> all() {
    return List.of(
        new Value("amax", Reduction.MAX),
        new Value("amin", Reduction.MIN),
        new ValueAndIndex("max", Reduction.MAX),
        new ValueAndIndex("min", Reduction.MIN),
        new Position("argmax", Reduction.MAX),
        new Position("argmin", Reduction.MIN));
  }

  /** The greatest or least element; equal ones share the gradient. */
  private static class Value extends DimReduction {
    final Reduction reduction;

    Value(String name, Reduction reduction) {
      super(name);
      this.reduction = reduction;
    }

    @Override
    public DType dtype(TensorType input, int[] dims, Attributes attributes) {
      requireElements(input, dims);
      return input.dtype();
    }

    @Override
    public Term reduce(Term x, int[] dims, Attributes attributes) {
      return x.reduce(reduction, dims);
    }

    @Override
    public Term gradient(Term g, Saved saved, int[] dims) {
      Term reached = input(g, saved).equal(output(g, saved));
      return g.times(reached).over(reached.sum(dims));
    }
  }

  /**
   * The same, but along one dimension with {@code indices} of the first such element, which gets
   * the whole gradient. Without {@code dim} equal ones share it, as do several NaN.
   */
  private static final class ValueAndIndex extends Value {
    ValueAndIndex(String name, Reduction reduction) {
      super(name, reduction);
    }

    @Override
    public DType dtype(TensorType input, int[] dims, Attributes attributes) {
      if (isAlong(attributes) && dims.length > 1) {
        throw bad("takes one dim or none: " + attributes);
      }
      return super.dtype(input, dims, attributes);
    }

    private boolean isAlong(Attributes attributes) {
      long[] dims = attributes.integers(name(), "dim");
      return dims != null && dims.length > 0;
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      if (!isAlong(attributes)) {
        return super.compute(backend, inputs, attributes);
      }
      int[] dims = dims(x.shape(), attributes);
      long[] shape = type(List.of(TensorType.of(x)), attributes).shape();
      if (dims.length == 0) {
        Tensor first = Tensor.wrap(new long[] {0});
        return new Computed(x, List.of(), Map.of("indices", first));
      }
      Tensor index = backend.indexOf(reduction, x, dims[0]);
      Tensor output = backend.gather(x, dims[0], index).reshape(shape);
      return new Computed(output, List.of(index), Map.of("indices", index.reshape(shape)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      if (!isAlong(saved.attributes())) {
        return super.gradient(backend, saved, gradOutput, input);
      }
      if (saved.tensors().isEmpty()) {
        return gradOutput;
      }
      long[] shape = saved.inputs().get(0).shape();
      int dim = dims(shape, saved.attributes())[0];
      Tensor g = gradOutput.reshape(ShapeRules.keeping(shape, dim));
      return backend.scatter(g, dim, saved.tensors().get(0), shape);
    }

    @Override
    public Term gradient(Term g, Saved saved, int[] dims) {
      Term x = input(g, saved);
      Term y = output(g, saved);
      Term reached = y.isNaN().choose(x.isNaN(), x.equal(y));
      return reached.choose(g.over(reached.sum(dims)), 0);
    }
  }

  /** The index of the first such element along one dimension, or in row-major order. */
  private static final class Position extends AbstractOperation {
    private final Reduction reduction;
    private final ValueAndIndex values;

    Position(String name, Reduction reduction) {
      super(name, 1, 1, "dim", "keepdim");
      this.reduction = reduction;
      this.values = new ValueAndIndex(name, reduction);
    }

    @Override
    public boolean differentiable(int input) {
      return false;
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      return new TensorType(name(), DType.INT64, values.type(inputs, attributes).shape());
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      long[] shape = type(List.of(TensorType.of(x)), attributes).shape();
      boolean along = values.isAlong(attributes) && x.rank() > 0;
      int dim = along ? values.dims(x.shape(), attributes)[0] : 0;
      Tensor index = backend.indexOf(reduction, along ? x : x.reshape(x.size()), dim);
      return Computed.of(index.reshape(shape));
    }
  }
}
