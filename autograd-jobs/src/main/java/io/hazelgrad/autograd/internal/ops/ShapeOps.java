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

/** Operations that leave the elements as they are. */
public final class ShapeOps {
  private ShapeOps() {}

  public static List<Operation> all() {
    return List.of(
        new Identity("identity", true),
        new Identity("detach", false),
        new Cast(),
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

  /** The elements as the type {@code dtype}, such as {@code FLOAT32}. */
  private static final class Cast extends AbstractOperation {
    Cast() {
      super("cast", 1, 1, "dtype");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      return new TensorType(dtype(attributes), inputs.get(0).shape());
    }

    private DType dtype(Attributes attributes) {
      String wanted = attributes.text(name(), "dtype", "");
      return Arrays.stream(DType.values())
          .filter(dtype -> dtype.name().equals(wanted))
          .findFirst()
          .orElseThrow(() -> bad("dtype=" + wanted + " must be one of " + List.of(DType.values())));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      return Computed.of(inputs.get(0).to(dtype(attributes)));
    }

    /** The base class casts it back. */
    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput;
    }
  }

  /** An operation that changes the shape only. */
  private abstract static class Reshaping extends AbstractOperation {
    Reshaping(String name, String attribute) {
      super(name, 1, 1, attribute);
    }

    /** Checks the attribute and returns the shape of the output. */
    abstract long[] shape(TensorType input, Attributes attributes);

    @Override
    public final TensorType type(List<TensorType> inputs, Attributes attributes) {
      return new TensorType(name(), inputs.get(0).dtype(), shape(inputs.get(0), attributes));
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

  /** The elements in the same order under {@code shape}; one extent may be -1, to be found out. */
  private static final class Reshape extends Reshaping {
    Reshape() {
      super("reshape", "shape");
    }

    @Override
    long[] shape(TensorType input, Attributes attributes) {
      long[] shape = integers("shape", attributes);
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
  }

  /** An operation that reorders the dimensions. */
  private abstract static class Reordering extends AbstractOperation {
    Reordering(String name, String... attributes) {
      super(name, 1, 1, attributes);
    }

    /** Returns for each dimension of the result which one of x it is. */
    abstract int[] order(long[] shape, Attributes attributes);

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      int[] order = order(input.shape(), attributes);
      long[] shape = Arrays.stream(order).mapToLong(input::extent).toArray();
      return new TensorType(name(), input.dtype(), shape);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(backend.permute(x, order(x.shape(), attributes)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      int[] order = order(saved.inputs().get(0).shape(), saved.attributes());
      int[] back = new int[order.length];
      for (int i = 0; i < order.length; i++) {
        back[order[i]] = i;
      }
      return backend.permute(gradOutput, back);
    }
  }

  /** Swaps the dimensions {@code dim0} and {@code dim1}. */
  private static final class Transpose extends Reordering {
    Transpose() {
      super("transpose", "dim0", "dim1");
    }

    @Override
    int[] order(long[] shape, Attributes attributes) {
      int dim0 = dim("dim0", shape, attributes);
      int dim1 = dim("dim1", shape, attributes);
      int[] order = ShapeRules.allDims(shape.length);
      if (order.length > 0) {
        order[dim0] = dim1;
        order[dim1] = dim0;
      }
      return order;
    }
  }

  /** Reorders the dimensions: dimension i of the result is dimension {@code dims[i]}. */
  private static final class Permute extends Reordering {
    Permute() {
      super("permute", "dims");
    }

    @Override
    int[] order(long[] shape, Attributes attributes) {
      long[] wanted = integers("dims", attributes);
      int[] order = wanted.length == shape.length ? dims("dims", wanted, shape) : new int[0];
      if (order.length != shape.length) {
        throw bad(
            "dims=%s does not name each dimension of a.shape=%s once"
                .formatted(Arrays.toString(wanted), Arrays.toString(shape)));
      }
      return order;
    }
  }

  /** Repeats dimensions of extent 1, or new ones in front, to {@code shape}; -1 keeps an extent. */
  private static final class Expand extends Reshaping {
    Expand() {
      super("expand", "shape");
    }

    @Override
    long[] shape(TensorType input, Attributes attributes) {
      long[] wanted = integers("shape", attributes);
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

    /** The base class sums it back. */
    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput;
    }
  }

  /** Drops the dimensions {@code dim}, or all, where they have extent 1. */
  private static final class Squeeze extends Reshaping {
    Squeeze() {
      super("squeeze", "dim");
    }

    @Override
    long[] shape(TensorType input, Attributes attributes) {
      long[] wanted = attributes.integers(name(), "dim");
      int[] dims =
          wanted == null ? ShapeRules.allDims(input.rank()) : dims("dim", wanted, input.shape());
      int[] ones =
          Arrays.stream(dims).filter(d -> d < input.rank() && input.extent(d) == 1).toArray();
      return ShapeRules.without(input.shape(), ones);
    }
  }

  /** Adds a dimension of extent 1 before dimension {@code dim}. */
  private static final class Unsqueeze extends Reshaping {
    Unsqueeze() {
      super("unsqueeze", "dim");
    }

    @Override
    long[] shape(TensorType input, Attributes attributes) {
      long[] grown = Arrays.copyOf(input.shape(), input.rank() + 1);
      return ShapeRules.withOne(input.shape(), dim("dim", grown, attributes));
    }
  }
}
