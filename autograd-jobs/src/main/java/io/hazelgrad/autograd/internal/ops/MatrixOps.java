package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Matrix products. */
public final class MatrixOps {
  private MatrixOps() {}

  public static List<Operation> all() {
    return List.of(new MatMul(), new Dot(), new Linear());
  }

  private static void checkTypes(String operation, List<TensorType> inputs) {
    DType dtype = inputs.get(0).dtype();
    for (TensorType input : inputs) {
      if (input.dtype() != dtype || dtype == DType.BOOL) {
        throw OperationErrors.bad(operation, "takes numbers of one element type: " + inputs);
      }
    }
  }

  /**
   * The product of matrices; with more dimensions, of stacks of matrices, which are broadcast. A
   * vector counts as a row on the left and as a column on the right, which the result lacks.
   */
  private static final class MatMul extends AbstractOperation {
    MatMul() {
      super("matmul", 2, 2);
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      checkTypes(name(), inputs);
      TensorType a = inputs.get(0);
      TensorType b = inputs.get(1);
      if (a.rank() == 0 || b.rank() == 0) {
        throw bad("takes vectors and matrices, not scalars: " + shapes(a, b));
      }
      long[] left = leftShape(a.shape());
      long[] right = rightShape(b.shape());
      if (left[left.length - 1] != right[right.length - 2]) {
        throw bad("inner dimensions differ: " + shapes(a, b));
      }
      long[] batch =
          ShapeRules.broadcast(
              name(), Arrays.copyOf(left, left.length - 2), Arrays.copyOf(right, right.length - 2));
      long[] shape = ShapeRules.matrices(batch, left[left.length - 2], right[right.length - 1]);
      return new TensorType(name(), a.dtype(), dropped(shape, a.rank(), b.rank()));
    }

    private static String shapes(TensorType a, TensorType b) {
      return "a.shape=" + Arrays.toString(a.shape()) + " b.shape=" + Arrays.toString(b.shape());
    }

    private static long[] leftShape(long[] shape) {
      return shape.length == 1 ? new long[] {1, shape[0]} : shape;
    }

    private static long[] rightShape(long[] shape) {
      return shape.length == 1 ? new long[] {shape[0], 1} : shape;
    }

    /** Returns the shape of a product without the dimensions that vectors were given. */
    private static long[] dropped(long[] shape, int rankA, int rankB) {
      long[] out = rankB == 1 ? ShapeRules.without(shape, shape.length - 1) : shape;
      return rankA == 1 ? ShapeRules.without(out, shape.length - 2) : out;
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor a = inputs.get(0);
      Tensor b = inputs.get(1);
      Tensor product =
          backend.matmul(
              a.reshape(leftShape(a.shape())), false, b.reshape(rightShape(b.shape())), false);
      Tensor output = product.reshape(dropped(product.shape(), a.rank(), b.rank()));
      return new Computed(output, inputs);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Tensor a = saved.tensors().get(0);
      Tensor b = saved.tensors().get(1);
      Tensor left = a.reshape(leftShape(a.shape()));
      Tensor right = b.reshape(rightShape(b.shape()));
      Tensor g = gradOutput;
      if (a.rank() == 1) {
        g = g.reshape(ShapeRules.withOne(g.shape(), b.rank() == 1 ? g.rank() : g.rank() - 1));
      }
      if (b.rank() == 1) {
        g = g.reshape(ShapeRules.withOne(g.shape(), g.rank()));
      }
      if (input == 0) {
        Tensor gradient = backend.matmul(g, false, right, true);
        return ShapeRules.sumTo(backend, gradient, left.shape()).reshape(a.shape());
      }
      // One matrix met a whole stack: one product of tall matrices also sums over the stack.
      Tensor gradient =
          right.rank() == 2
              ? backend.matmul(ShapeRules.asMatrix(left), true, ShapeRules.asMatrix(g), false)
              : backend.matmul(left, true, g, false);
      return ShapeRules.sumTo(backend, gradient, right.shape()).reshape(b.shape());
    }
  }

  /** The sum of the products of two vectors. */
  private static final class Dot extends AbstractOperation {
    Dot() {
      super("dot", 2, 2);
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      checkTypes(name(), inputs);
      if (inputs.get(0).rank() != 1 || !inputs.get(1).equals(inputs.get(0))) {
        throw bad("takes two vectors of one length: " + inputs);
      }
      return new TensorType(inputs.get(0).dtype());
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor row = inputs.get(0).reshape(1, inputs.get(0).size());
      Tensor column = inputs.get(1).reshape(inputs.get(1).size(), 1);
      return new Computed(backend.matmul(row, false, column, false).reshape(), inputs);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      return backend.binary(Binary.MUL, gradOutput, saved.tensors().get(1 - input));
    }
  }

  /** x times the transpose of weight, plus bias if there is one. */
  private static final class Linear extends AbstractOperation {
    Linear() {
      super("linear", 2, 3);
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      checkTypes(name(), inputs);
      TensorType x = inputs.get(0);
      TensorType weight = inputs.get(1);
      if (x.rank() == 0 || weight.rank() != 2 || x.extent(x.rank() - 1) != weight.extent(1)) {
        throw bad(
            "takes x of shape [.., in] and weight of shape [out, in]: x.shape=%s weight.shape=%s"
                .formatted(Arrays.toString(x.shape()), Arrays.toString(weight.shape())));
      }
      if (inputs.size() == 3
          && !Arrays.equals(inputs.get(2).shape(), new long[] {weight.extent(0)})) {
        throw bad(
            "bias.shape=%s is not [out] of weight.shape=%s"
                .formatted(
                    Arrays.toString(inputs.get(2).shape()), Arrays.toString(weight.shape())));
      }
      return new TensorType(
          name(), x.dtype(), ShapeRules.with(x.shape(), x.rank() - 1, weight.extent(0)));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      Tensor weight = inputs.get(1);
      Tensor bias = inputs.size() == 3 ? inputs.get(2) : null;
      return Computed.of(new Term(backend, x).linear(weight, bias).tensor(), x, weight);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Tensor x = saved.tensors().get(0);
      Tensor weight = saved.tensors().get(1);
      return switch (input) {
        case 0 ->
            backend
                .matmul(ShapeRules.asMatrix(gradOutput), false, weight, false)
                .reshape(x.shape());
        case 1 ->
            backend.matmul(ShapeRules.asMatrix(gradOutput), true, ShapeRules.asMatrix(x), false);
        default -> gradOutput;
      };
    }
  }
}
