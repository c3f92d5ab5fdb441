package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.ShapeRules;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Operations that leave the elements as they are. */
public final class ShapeOps {
  private ShapeOps() {}

  public static List<Operation> all() {
    return List.of(
        new Identity("identity", true),
        new Identity("detach", false),
        new Reshape(),
        new Transpose(),
        new Permute(),
        new Expand(),
        new Squeeze(),
        new Unsqueeze());
  }

  /** x itself; detach cuts it off from the gradients. */
  private static final class Identity extends AbstractOperation {
    private final boolean differentiable;

    Identity(String name, boolean differentiable) {
      super(name, 1, 1);
      this.differentiable = differentiable;
    }

    @Override
    public boolean differentiable(int input) {
      return differentiable;
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      return inputs.get(0);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      return Computed.of(inputs.get(0));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput;
    }
  }

  /** The elements in the same order under {@code shape}; one extent may be -1, to be found out. */
  private static final class Reshape extends AbstractOperation {
    Reshape() {
      super("reshape", 1, 1, "shape");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      return new TensorType(name(), inputs.get(0).dtype(), shape(inputs.get(0), attributes));
    }

    private long[] shape(TensorType input, Attributes attributes) {
      long[] shape = attributes.integers(name(), "shape");
      if (shape == null) {
        throw bad("attribute shape is missing");
      }
      String what = "shape=" + Arrays.toString(shape) + " for a.shape=" + show(input);
      int open = -1;
      double known = 1;
      for (int i = 0; i < shape.length; i++) {
        if (shape[i] < -1 || (shape[i] == -1 && open >= 0)) {
          throw bad("takes extents and at most one -1: " + what);
        }
        if (shape[i] == -1) {
          open = i;
        } else {
          known *= shape[i];
        }
      }
      if (open >= 0) {
        // Nothing fits any number of times into nothing.
        if (known == 0 || input.size() % known != 0) {
          throw bad("nothing that -1 could stand for: " + what);
        }
        shape[open] = (long) (input.size() / known);
      } else if (known != input.size()) {
        throw bad("another number of elements: " + what);
      }
      return shape;
    }

    private static String show(TensorType type) {
      return Arrays.toString(type.shape());
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(x.reshape(shape(TensorType.of(x), attributes)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput.reshape(saved.inputs().get(0).shape());
    }
  }

  /** Swaps the dimensions {@code dim0} and {@code dim1}. */
  private static final class Transpose extends AbstractOperation {
    Transpose() {
      super("transpose", 1, 1, "dim0", "dim1");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      int[] dims = dims(input.shape(), attributes);
      long[] shape = Arrays.stream(dims).mapToLong(input::extent).toArray();
      return new TensorType(name(), input.dtype(), shape);
    }

    private int[] dims(long[] shape, Attributes attributes) {
      int dim0 = ShapeRules.dim(name(), "dim0", attributes.integer(name(), "dim0"), shape);
      int dim1 = ShapeRules.dim(name(), "dim1", attributes.integer(name(), "dim1"), shape);
      int[] dims = ShapeRules.allDims(shape.length);
      if (dims.length > 0) {
        dims[dim0] = dim1;
        dims[dim1] = dim0;
      }
      return dims;
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(backend.permute(x, dims(x.shape(), attributes)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      // A swap undoes itself.
      return backend.permute(gradOutput, dims(gradOutput.shape(), saved.attributes()));
    }
  }

  /** Reorders the dimensions: dimension i of the result is dimension {@code dims[i]}. */
  private static final class Permute extends AbstractOperation {
    Permute() {
      super("permute", 1, 1, "dims");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      int[] dims = dims(input.shape(), attributes);
      long[] shape = Arrays.stream(dims).mapToLong(input::extent).toArray();
      return new TensorType(name(), input.dtype(), shape);
    }

    private int[] dims(long[] shape, Attributes attributes) {
      long[] wanted = attributes.integers(name(), "dims");
      if (wanted == null) {
        throw bad("attribute dims is missing");
      }
      int[] dims =
          wanted.length != shape.length
              ? new int[0]
              : Arrays.stream(wanted)
                  .mapToInt(dim -> ShapeRules.dim(name(), "dims", dim, shape))
                  .distinct()
                  .toArray();
      if (dims.length != shape.length) {
        throw bad(
            "dims="
                + Arrays.toString(wanted)
                + " does not name each dimension of a.shape="
                + Arrays.toString(shape)
                + " once");
      }
      return dims;
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(backend.permute(x, dims(x.shape(), attributes)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      int[] dims = dims(saved.inputs().get(0).shape(), saved.attributes());
      int[] back = new int[dims.length];
      for (int i = 0; i < dims.length; i++) {
        back[dims[i]] = i;
      }
      return backend.permute(gradOutput, back);
    }
  }

  /** Repeats dimensions of extent 1, or new ones in front, to {@code shape}; -1 keeps an extent. */
  private static final class Expand extends AbstractOperation {
    Expand() {
      super("expand", 1, 1, "shape");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      return new TensorType(name(), inputs.get(0).dtype(), shape(inputs.get(0), attributes));
    }

    private long[] shape(TensorType input, Attributes attributes) {
      long[] wanted = attributes.integers(name(), "shape");
      if (wanted == null) {
        throw bad("attribute shape is missing");
      }
      long[] shape = wanted.clone();
      int extra = shape.length - input.rank();
      boolean fits = extra >= 0;
      for (int i = 0; fits && i < shape.length; i++) {
        long extent = i < extra ? 1 : input.extent(i - extra);
        shape[i] = shape[i] == -1 && i >= extra ? extent : shape[i];
        fits = shape[i] >= 0 && (extent == 1 || extent == shape[i]);
      }
      if (!fits) {
        throw bad("shape=" + Arrays.toString(wanted) + " for a.shape=" + Reshape.show(input));
      }
      return shape;
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(backend.expand(x, shape(TensorType.of(x), attributes)));
    }

    /** The frame sums it back. */
    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput;
    }
  }

  /** Drops the dimensions {@code dim}, or all, where they have extent 1. */
  private static final class Squeeze extends AbstractOperation {
    Squeeze() {
      super("squeeze", 1, 1, "dim");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      long[] wanted = attributes.integers(name(), "dim");
      int[] dims = ShapeRules.allDims(input.rank());
      if (wanted != null) {
        dims =
            Arrays.stream(wanted)
                .mapToInt(dim -> ShapeRules.dim(name(), "dim", dim, input.shape()))
                .distinct()
                .toArray();
      }
      int[] ones =
          Arrays.stream(dims).filter(d -> d < input.rank() && input.extent(d) == 1).toArray();
      return new TensorType(name(), input.dtype(), ShapeRules.without(input.shape(), ones));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(x.reshape(type(List.of(TensorType.of(x)), attributes).shape()));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput.reshape(saved.inputs().get(0).shape());
    }
  }

  /** Adds a dimension of extent 1 before dimension {@code dim}. */
  private static final class Unsqueeze extends AbstractOperation {
    Unsqueeze() {
      super("unsqueeze", 1, 1, "dim");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      long[] grown = Arrays.copyOf(input.shape(), input.rank() + 1);
      int dim = ShapeRules.dim(name(), "dim", attributes.integer(name(), "dim"), grown);
      return new TensorType(name(), input.dtype(), ShapeRules.withOne(input.shape(), dim));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(x.reshape(type(List.of(TensorType.of(x)), attributes).shape()));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput.reshape(saved.inputs().get(0).shape());
    }
  }
}
