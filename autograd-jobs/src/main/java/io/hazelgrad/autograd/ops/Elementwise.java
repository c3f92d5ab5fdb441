package io.hazelgrad.autograd.ops;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** Operations element by element. */
final class Elementwise {
  private Elementwise() {}

  static List<Operation> all() {
    return List.of(
        new Addition("add", Binary.ADD),
        new Addition("sub", Binary.SUB),
        new Multiplication(),
        new Division(),
        new Negation(),
        new Activation("exp", Unary.EXP, Binary.MUL),
        new Activation("relu", Unary.RELU, Binary.RELU_GRADIENT),
        new Activation("sigmoid", Unary.SIGMOID, Binary.SIGMOID_GRADIENT),
        new Activation("tanh", Unary.TANH, Binary.TANH_GRADIENT));
  }

  /** An operation of two inputs, both broadcast and promoted. */
  private abstract static class Pairwise extends AbstractOperation {
    Pairwise(String name, String... attributes) {
      super(name, 2, 2, attributes);
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      long[] shape = Shapes.broadcast(name(), inputs.get(0).shape(), inputs.get(1).shape());
      return new TensorType(name(), Promotion.result(inputs), shape);
    }

    static DType commonType(List<Tensor> inputs) {
      return Promotion.result(inputs.stream().map(TensorType::of).toList());
    }

    static Tensor apply(Backend backend, Binary function, List<Tensor> inputs, DType dtype) {
      return backend.binary(function, inputs.get(0).to(dtype), inputs.get(1).to(dtype));
    }
  }

  /** a + alpha * b or a - alpha * b. */
  private static final class Addition extends Pairwise {
    private final Binary function;

    Addition(String name, Binary function) {
      super(name, "alpha");
      this.function = function;
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType type = super.type(inputs, attributes);
      if (function == Binary.SUB && inputs.stream().anyMatch(t -> t.dtype() == DType.BOOL)) {
        throw bad("does not take booleans: " + inputs);
      }
      // Checks it, too: only a floating-point result takes a fractional alpha.
      alpha(type.dtype(), attributes);
      return type;
    }

    private Tensor alpha(DType dtype, Attributes attributes) {
      return dtype.isFloating()
          ? Tensor.full(dtype, attributes.number(name(), "alpha", 1))
          : Tensor.wrap(new long[] {attributes.integer(name(), "alpha", 1)}).to(dtype);
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      DType dtype = commonType(inputs);
      Tensor b = scaled(backend, inputs.get(1).to(dtype), attributes);
      return Computed.of(backend.binary(function, inputs.get(0).to(dtype), b));
    }

    private Tensor scaled(Backend backend, Tensor x, Attributes attributes) {
      return attributes.has("alpha")
          ? backend.binary(Binary.MUL, x, alpha(x.dtype(), attributes))
          : x;
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      if (input == 0) {
        return gradOutput;
      }
      Tensor scaled = scaled(backend, gradOutput, saved.attributes());
      return function == Binary.ADD ? scaled : backend.unary(Unary.NEG, scaled);
    }
  }

  /** a * b. */
  private static final class Multiplication extends Pairwise {
    Multiplication() {
      super("mul");
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor output = apply(backend, Binary.MUL, inputs, commonType(inputs));
      return new Computed(output, inputs);
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Tensor other = saved.tensors().get(1 - input).to(gradOutput.dtype());
      return backend.binary(Binary.MUL, gradOutput, other);
    }
  }

  /** a / b; the quotient of integers is FLOAT32. */
  private static final class Division extends Pairwise {
    Division() {
      super("div");
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType type = super.type(inputs, attributes);
      return new TensorType(name(), Promotion.floating(type.dtype()), type.shape());
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      DType dtype = Promotion.floating(commonType(inputs));
      return new Computed(apply(backend, Binary.DIV, inputs, dtype), inputs);
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Tensor b = saved.tensors().get(1).to(gradOutput.dtype());
      if (input == 0) {
        return backend.binary(Binary.DIV, gradOutput, b);
      }
      // In torch's order, -g * ((a / b) / b), which decides where infinities become NaN.
      Tensor a = saved.tensors().get(0).to(gradOutput.dtype());
      Tensor quotient = backend.binary(Binary.DIV, backend.binary(Binary.DIV, a, b), b);
      return backend.binary(Binary.MUL, backend.unary(Unary.NEG, gradOutput), quotient);
    }
  }

  /** -x. */
  private static final class Negation extends AbstractOperation {
    Negation() {
      super("neg", 1, 1);
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      if (inputs.get(0).dtype() == DType.BOOL) {
        throw bad("does not take booleans: " + inputs);
      }
      return inputs.get(0);
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      return Computed.of(backend.unary(Unary.NEG, inputs.get(0)));
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return backend.unary(Unary.NEG, gradOutput);
    }
  }

  /**
   * A function whose derivative can be had from its output. Integers become FLOAT32, but for relu.
   */
  private static final class Activation extends AbstractOperation {
    private final Unary function;
    private final Binary derivative;

    Activation(String name, Unary function, Binary derivative) {
      super(name, 1, 1);
      this.function = function;
      this.derivative = derivative;
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      if (function == Unary.RELU && input.dtype() == DType.BOOL) {
        throw bad("does not take booleans: " + inputs);
      }
      return new TensorType(name(), dtype(input.dtype()), input.shape());
    }

    private DType dtype(DType input) {
      return function == Unary.RELU ? input : Promotion.floating(input);
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      Tensor output = backend.unary(function, x.to(dtype(x.dtype())));
      return Computed.of(output, output);
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return backend.binary(derivative, gradOutput, saved.tensors().get(0));
    }
  }
}
