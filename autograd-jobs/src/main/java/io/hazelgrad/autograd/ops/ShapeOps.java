package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Operations that leave the elements as they are. */
final class ShapeOps {
  private ShapeOps() {}

  static List<Operation> all() {
    return List.of(
        new Identity("identity", true),
        new Identity("detach", false),
        new Reshape(),
        new Transpose());
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
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      return inputs.get(0);
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      return Computed.of(inputs.get(0));
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput;
    }
  }

  /** The elements in the same order under {@code shape}; one extent may be -1, to be found out. */
  private static final class Reshape extends AbstractOperation {
    Reshape() {
      super("reshape", 1, 1, "shape");
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
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
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(x.reshape(shape(TensorType.of(x), attributes)));
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return gradOutput.reshape(saved.inputs().get(0).shape());
    }
  }

  /** Swaps the dimensions {@code dim0} and {@code dim1}. */
  private static final class Transpose extends AbstractOperation {
    Transpose() {
      super("transpose", 1, 1, "dim0", "dim1");
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      int[] dims = dims(input.shape(), attributes);
      long[] shape = Arrays.stream(dims).mapToLong(input::extent).toArray();
      return new TensorType(name(), input.dtype(), shape);
    }

    private int[] dims(long[] shape, Attributes attributes) {
      int dim0 = Shapes.dim(name(), "dim0", attributes.integer(name(), "dim0"), shape);
      int dim1 = Shapes.dim(name(), "dim1", attributes.integer(name(), "dim1"), shape);
      int[] dims = Shapes.allDims(shape.length);
      if (dims.length > 0) {
        dims[dim0] = dim1;
        dims[dim1] = dim0;
      }
      return dims;
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      return Computed.of(backend.permute(x, dims(x.shape(), attributes)));
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      // A swap undoes itself.
      return backend.permute(gradOutput, dims(gradOutput.shape(), saved.attributes()));
    }
  }
}
