package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Operations that choose elements by position. One chosen twice gets the sum of gradients. */
public final class Indexing {
  private Indexing() {}

  public static List<Operation> all() {
    return List.of(new Slice(), new IndexSelect(), new Gather(), new Embedding());
  }

  /** Returns start, start + step, .., as an index. */
  static Tensor range(long start, long count, long step) {
    long[] index = new long[(int) count];
    Arrays.setAll(index, i -> start + i * step);
    return Tensor.wrap(index, count);
  }

  /** Returns a stretch of a tensor along a dimension. */
  public static Tensor range(Backend backend, Tensor x, int dim, long start, long count) {
    if (start == 0 && count == x.shape(dim)) {
      return x;
    }
    // What has no elements may be too wide for an index.
    return x.size() == 0
        ? Tensor.zeros(x.dtype(), ShapeRules.with(x.shape(), dim, count))
        : backend.take(x, dim, range(start, count, 1));
  }

  private static Tensor vector(Tensor index) {
    return index.to(DType.INT64).reshape(index.size());
  }

  /** An operation with an index among its inputs, which has no gradient. */
  private abstract static class Lookup extends AbstractOperation {
    private final int indexed;

    Lookup(String name, int indexed, String attribute) {
      super(name, 2, 2, attribute);
      this.indexed = indexed;
    }

    @Override
    public final boolean differentiable(int input) {
      return input == indexed;
    }

    final void requireIndex(TensorType index) {
      if (index.dtype() != DType.INT64 && index.dtype() != DType.INT32) {
        throw bad("takes an INT64 or INT32 index: " + index);
      }
    }

    final void checkIndex(Tensor index, long extent) {
      for (int i = 0; i < index.size(); i++) {
        long value = index.storage().getLong(i);
        if (value < 0 || value >= extent) {
          throw bad("index[" + i + "]=" + value + " is not within [0, " + (extent - 1) + "]");
        }
      }
    }
  }

  /** Every {@code step}th element from {@code start} to before {@code end} along {@code dim}. */
  private static final class Slice extends AbstractOperation {
    Slice() {
      super("slice", 1, 1, "dim", "start", "end", "step");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      if (input.rank() == 0) {
        throw bad("takes no scalars: " + input);
      }
      int dim = dimOrFirst(input.shape(), attributes);
      long count = count(input.extent(dim), attributes);
      return new TensorType(name(), input.dtype(), ShapeRules.with(input.shape(), dim, count));
    }

    /** Returns a bound, which counts from the end if it is negative, moved into the dimension. */
    private long bound(String which, long fallback, long extent, Attributes attributes) {
      long bound = attributes.integer(name(), which, fallback);
      return Math.max(0, Math.min(extent, bound < 0 ? bound + extent : bound));
    }

    private long step(Attributes attributes) {
      long step = attributes.integer(name(), "step", 1);
      if (step < 1) {
        throw bad("step=" + step + " must be at least 1");
      }
      return step;
    }

    private long count(long extent, Attributes attributes) {
      long length =
          bound("end", extent, extent, attributes) - bound("start", 0, extent, attributes);
      long step = step(attributes);
      return length <= 0 ? 0 : (length - 1) / step + 1;
    }

    private Tensor index(long extent, Attributes attributes) {
      long start = bound("start", 0, extent, attributes);
      return range(start, count(extent, attributes), step(attributes));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      TensorType type = type(List.of(TensorType.of(x)), attributes);
      if (type.size() == 0) {
        return Computed.of(Tensor.zeros(x.dtype(), type.shape()));
      }
      int dim = dimOrFirst(x.shape(), attributes);
      return Computed.of(backend.take(x, dim, index(x.shape(dim), attributes)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      long[] shape = saved.inputs().get(0).shape();
      int dim = dimOrFirst(shape, saved.attributes());
      return gradOutput.size() == 0
          ? Tensor.zeros(gradOutput.dtype(), shape)
          : backend.put(gradOutput, dim, index(shape[dim], saved.attributes()), shape[dim]);
    }
  }

  /** The slices along {@code dim} that an index, a vector, names. */
  private static final class IndexSelect extends Lookup {
    IndexSelect() {
      super("index_select", 0, "dim");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      TensorType index = inputs.get(1);
      requireIndex(index);
      int dim = dim("dim", input.shape(), attributes);
      if (index.rank() > 1 || (input.rank() == 0 && index.size() != 1)) {
        throw bad("takes a vector as index, one element for a scalar: " + inputs);
      }
      return input.rank() == 0
          ? input
          : new TensorType(
              name(), input.dtype(), ShapeRules.with(input.shape(), dim, index.size()));
    }

    @Override
    public void checkValues(List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      long extent = x.rank() == 0 ? 1 : x.shape(dim("dim", x.shape(), attributes));
      checkIndex(inputs.get(1), extent);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      Tensor index = vector(inputs.get(1));
      return x.rank() == 0
          ? Computed.of(x)
          : Computed.of(backend.take(x, dim("dim", x.shape(), attributes), index), index);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      long[] shape = saved.inputs().get(0).shape();
      int dim = dim("dim", shape, saved.attributes());
      return shape.length == 0
          ? gradOutput
          : backend.put(gradOutput, dim, saved.tensors().get(0), shape[dim]);
    }
  }

  /** For each element of an index of the same rank, the element at that place along {@code dim}. */
  private static final class Gather extends Lookup {
    Gather() {
      super("gather", 0, "dim");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      TensorType index = inputs.get(1);
      requireIndex(index);
      int dim = dim("dim", input.shape(), attributes);
      long[] x = atLeastVector(input.shape());
      long[] i = atLeastVector(index.shape());
      boolean fits = x.length == i.length;
      for (int d = 0; fits && d < x.length; d++) {
        fits = d == dim || i[d] <= x[d];
      }
      if (!fits) {
        throw bad("takes an index within the input but for dim=" + dim + ": " + inputs);
      }
      return new TensorType(name(), input.dtype(), index.shape());
    }

    private static long[] atLeastVector(long[] shape) {
      return shape.length == 0 ? new long[] {1} : shape;
    }

    @Override
    public void checkValues(List<Tensor> inputs, Attributes attributes) {
      long[] shape = atLeastVector(inputs.get(0).shape());
      checkIndex(inputs.get(1), shape[dim("dim", shape, attributes)]);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0).reshape(atLeastVector(inputs.get(0).shape()));
      Tensor index = inputs.get(1).to(DType.INT64);
      index = index.reshape(atLeastVector(index.shape()));
      Tensor output = backend.gather(x, dim("dim", x.shape(), attributes), index);
      return Computed.of(output.reshape(inputs.get(1).shape()), index);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      long[] shape = saved.inputs().get(0).shape();
      long[] wide = atLeastVector(shape);
      Tensor index = saved.tensors().get(0);
      Tensor g = gradOutput.reshape(index.shape());
      return backend.scatter(g, dim("dim", wide, saved.attributes()), index, wide).reshape(shape);
    }
  }

  /** The rows of weight that an index names. The row {@code padding_idx} gets no gradient. */
  private static final class Embedding extends Lookup {
    Embedding() {
      super("embedding", 1, "padding_idx");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType index = inputs.get(0);
      TensorType weight = inputs.get(1);
      requireIndex(index);
      if (weight.rank() != 2) {
        throw bad("takes a weight of shape [rows, columns]: " + weight);
      }
      if (attributes.has("padding_idx")) {
        long padding = attributes.integer(name(), "padding_idx");
        if (padding < -weight.extent(0) || padding >= weight.extent(0)) {
          throw bad("padding_idx=" + padding + " is no row of " + weight);
        }
      }
      long[] shape = Arrays.copyOf(index.shape(), index.rank() + 1);
      shape[index.rank()] = weight.extent(1);
      return new TensorType(name(), weight.dtype(), shape);
    }

    @Override
    public void checkValues(List<Tensor> inputs, Attributes attributes) {
      checkIndex(inputs.get(0), inputs.get(1).shape(0));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor index = vector(inputs.get(0));
      Tensor output = backend.take(inputs.get(1), 0, index);
      return Computed.of(output.reshape(type(types(inputs), attributes).shape()), index);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      TensorType weight = saved.inputs().get(1);
      long[] index = saved.tensors().get(0).toLongs();
      if (saved.attributes().has("padding_idx")) {
        long padding = saved.attributes().integer(name(), "padding_idx");
        long row = padding < 0 ? padding + weight.extent(0) : padding;
        Arrays.setAll(index, i -> index[i] == row ? -1 : index[i]);
      }
      Tensor rows = gradOutput.reshape(index.length, weight.extent(1));
      return backend.put(rows, 0, Tensor.wrap(index, index.length), weight.extent(0));
    }
  }
}
