package io.hazelgrad.autograd.ops;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Operations that go along dimensions. */
final class Reductions {
  private Reductions() {}

  static List<Operation> all() {
    return List.of(new Sum("sum", false), new Sum("mean", true), new LogSoftmax());
  }

  /** Sums all elements of a tensor to a scalar. */
  static Tensor sumAll(Backend backend, Tensor x) {
    return backend.reduce(Reduction.SUM, x, Shapes.allDims(x.rank())).reshape();
  }

  /** The sum or mean over the dimensions {@code dim}, all by default. */
  private static final class Sum extends AbstractOperation {
    private final boolean mean;

    Sum(String name, boolean mean) {
      super(name, 1, 1, "dim", "keepdim");
      this.mean = mean;
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      boolean floating = input.dtype().isFloating();
      if (mean && !floating) {
        throw bad("takes floating-point elements: " + input);
      }
      int[] dims = dims(input, attributes);
      long[] shape =
          attributes.flag(name(), "keepdim", false)
              ? Shapes.keeping(input.shape(), dims)
              : Shapes.without(input.shape(), dims);
      return new TensorType(name(), floating ? input.dtype() : DType.INT64, shape);
    }

    private int[] dims(TensorType input, Attributes attributes) {
      long[] wanted = attributes.integers(name(), "dim");
      if (wanted == null || wanted.length == 0) {
        return Shapes.allDims(input.rank());
      }
      int[] dims =
          Arrays.stream(wanted)
              .mapToInt(dim -> Shapes.dim(name(), "dim", dim, input.shape()))
              .distinct()
              .toArray();
      if (dims.length != wanted.length) {
        throw bad("dim=" + Arrays.toString(wanted) + " names a dimension twice: " + input);
      }
      return input.rank() == 0 ? new int[0] : dims;
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      TensorType type = TensorType.of(x);
      if (!x.dtype().isFloating()) {
        x = x.to(DType.INT64);
      }
      Tensor sum = backend.reduce(Reduction.SUM, x, dims(type, attributes));
      Tensor output = mean ? divided(backend, sum, type, attributes) : sum;
      return Computed.of(output.reshape(type(List.of(type), attributes).shape()));
    }

    private Tensor divided(Backend backend, Tensor x, TensorType input, Attributes attributes) {
      double count = 1;
      for (int dim : dims(input, attributes)) {
        count *= input.extent(dim);
      }
      return backend.binary(Binary.DIV, x, Tensor.full(x.dtype(), count));
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      TensorType type = saved.inputs().get(0);
      Tensor gradient = mean ? divided(backend, gradOutput, type, saved.attributes()) : gradOutput;
      long[] kept = Shapes.keeping(type.shape(), dims(type, saved.attributes()));
      return backend.expand(gradient.reshape(kept), type.shape());
    }
  }

  /** log(softmax(x)) along {@code dim}. */
  private static final class LogSoftmax extends AbstractOperation {
    LogSoftmax() {
      super("log_softmax", 1, 1, "dim");
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      if (!input.dtype().isFloating()) {
        throw bad("takes floating-point elements: " + input);
      }
      dim(input.shape(), attributes);
      return input;
    }

    private int dim(long[] shape, Attributes attributes) {
      return Shapes.dim(name(), "dim", attributes.integer(name(), "dim"), shape);
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      Tensor output = logSoftmax(backend, x, dim(x.shape(), attributes));
      return Computed.of(output, output);
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      int dim = dim(gradOutput.shape(), saved.attributes());
      return logSoftmaxGradient(backend, gradOutput, saved.tensors().get(0), dim);
    }
  }

  /** Returns x - max - log(sum(e^(x - max))): no exponent is above 0, so nothing overflows. */
  static Tensor logSoftmax(Backend backend, Tensor x, int dim) {
    int[] dims = x.rank() == 0 ? new int[0] : new int[] {dim};
    Tensor shifted = backend.binary(Binary.SUB, x, backend.reduce(Reduction.MAX, x, dims));
    Tensor sum = backend.reduce(Reduction.SUM, backend.unary(Unary.EXP, shifted), dims);
    return backend.binary(Binary.SUB, shifted, backend.unary(Unary.LOG, sum));
  }

  /** Returns g - softmax * sum(g), with softmax = e^output. */
  static Tensor logSoftmaxGradient(Backend backend, Tensor gradOutput, Tensor output, int dim) {
    int[] dims = output.rank() == 0 ? new int[0] : new int[] {dim};
    Tensor sum = backend.reduce(Reduction.SUM, gradOutput, dims);
    Tensor softmax = backend.unary(Unary.EXP, output);
    return backend.binary(Binary.SUB, gradOutput, backend.binary(Binary.MUL, softmax, sum));
  }
}
