package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** The four basic operations of arithmetic, element by element. */
public final class Arithmetic {
  private Arithmetic() {}

  public static List<Operation> all() {
    return List.of(
        new Addition("add", Binary.ADD),
        new Addition("sub", Binary.SUB),
        new Multiplication(),
        new Division());
  }

  /** a + alpha * b or a - alpha * b. */
  private static final class Addition extends Pairwise {
    private final Binary function;

    Addition(String name, Binary function) {
      super(name, "alpha");
      this.function = function;
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
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
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
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
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
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
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor output = apply(backend, Binary.MUL, inputs, commonType(inputs));
      return new Computed(output, inputs);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
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
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType type = super.type(inputs, attributes);
      return new TensorType(name(), Promotion.floating(type.dtype()), type.shape());
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      DType dtype = Promotion.floating(commonType(inputs));
      return new Computed(apply(backend, Binary.DIV, inputs, dtype), inputs);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
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
}
