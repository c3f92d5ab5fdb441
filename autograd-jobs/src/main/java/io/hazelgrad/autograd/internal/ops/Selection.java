package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** Operations that choose one of two values, element by element. */
public final class Selection {
  private Selection() {}

  public static List<Operation> all() {
    return List.of(
        new Extreme("maximum", Binary.MAX),
        new Extreme("minimum", Binary.MIN),
        new Where(),
        new Clamp());
  }

  /** The greater or the lesser one. Equal ones share the gradient. */
  private static final class Extreme extends Pairwise {
    private final Binary function;

    Extreme(String name, Binary function) {
      super(name);
      this.function = function;
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      return new Computed(apply(backend, function, inputs, commonType(inputs)), inputs);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Term g = new Term(backend, gradOutput);
      Term own = saved(backend, saved, input, gradOutput);
      Term other = saved(backend, saved, 1 - input, gradOutput);
      // Asked for the loser, a NaN lets the gradient through, as in torch.
      Term loses = function == Binary.MAX ? own.less(other) : other.less(own);
      return own.equal(other).choose(g.over(2), loses.choose(0, g)).tensor();
    }
  }

  /** The first value where the condition is true, else the second; all three are broadcast. */
  private static final class Where extends AbstractOperation {
    Where() {
      super("where", 3, 3);
    }

    @Override
    public boolean differentiable(int input) {
      return input > 0;
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType condition = inputs.get(0);
      if (condition.dtype() != DType.BOOL) {
        throw bad("takes a BOOL condition: " + inputs);
      }
      List<TensorType> values = inputs.subList(1, 3);
      long[] shape = ShapeRules.broadcast(name(), values.get(0).shape(), values.get(1).shape());
      return new TensorType(
          name(), Promotion.result(values), ShapeRules.broadcast(name(), condition.shape(), shape));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor condition = inputs.get(0);
      DType dtype = Pairwise.commonType(inputs.subList(1, 3));
      Term a = new Term(backend, inputs.get(1).to(dtype));
      Term b = new Term(backend, inputs.get(2).to(dtype));
      return Computed.of(a.of(condition.to(dtype)).choose(a, b).tensor(), condition);
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Term g = new Term(backend, gradOutput);
      Term condition = g.of(saved.tensors().get(0).to(gradOutput.dtype()));
      return (input == 1 ? condition.choose(g, 0) : condition.choose(0, g)).tensor();
    }
  }

  /** The elements, but at least {@code min} and at most {@code max}; one of them may be absent. */
  private static final class Clamp extends AbstractOperation {
    Clamp() {
      super("clamp", 1, 1, "min", "max");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      if (!attributes.has("min") && !attributes.has("max")) {
        throw bad("needs a min or a max: " + attributes);
      }
      if (input.dtype() == DType.BOOL) {
        throw bad("does not take booleans: " + inputs);
      }
      DType dtype = input.dtype();
      for (String bound : List.of("min", "max")) {
        double unused = attributes.number(name(), bound, 0);
        dtype = attributes.isFraction(bound) ? Promotion.floating(dtype) : dtype;
      }
      return new TensorType(name(), dtype, input.shape());
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor input = inputs.get(0);
      DType dtype = type(List.of(TensorType.of(input)), attributes).dtype();
      // Integers as INT64, which has room for any bound.
      Tensor x = input.to(dtype.isFloating() ? dtype : DType.INT64);
      Tensor y = x;
      if (attributes.has("min")) {
        y = backend.binary(Binary.MAX, y, bound("min", x.dtype(), attributes));
      }
      if (attributes.has("max")) {
        y = backend.binary(Binary.MIN, y, bound("max", x.dtype(), attributes));
      }
      return Computed.of(y, input);
    }

    private Tensor bound(String which, DType dtype, Attributes attributes) {
      return dtype.isFloating()
          ? Tensor.full(dtype, attributes.number(name(), which, 0))
          : Tensor.wrap(new long[] {attributes.integer(name(), which)});
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      Term x = new Term(backend, saved.tensors().get(0));
      Term g = x.of(gradOutput);
      Attributes attributes = saved.attributes();
      if (attributes.has("min")) {
        g = x.atLeast(attributes.number(name(), "min", 0)).choose(g, 0);
      }
      if (attributes.has("max")) {
        g = x.atMost(attributes.number(name(), "max", 0)).choose(g, 0);
      }
      return g.tensor();
    }
  }
}
