package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** a to the power of b, or of the number {@code exponent} if there is no b. */
public final class Power extends Pairwise {
  public Power() {
    super("pow", 1, "exponent");
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType a = inputs.get(0);
    if (attributes.has("exponent") == (inputs.size() == 2)) {
      throw bad("takes a second input or an exponent: " + inputs + " " + attributes);
    }
    if (inputs.stream().anyMatch(t -> t.dtype() == DType.BOOL)) {
      throw bad("does not take booleans: " + inputs);
    }
    if (inputs.size() == 2) {
      return super.type(inputs, attributes);
    }
    double exponent = attributes.number(name(), "exponent", 0);
    boolean floating = a.dtype().isFloating() || attributes.isFraction("exponent");
    if (!floating && exponent < 0) {
      throw bad("takes no negative power of integers: exponent=" + exponent + " of " + a);
    }
    DType dtype = floating ? Promotion.floating(a.dtype()) : a.dtype();
    return new TensorType(name(), dtype, a.shape());
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    if (inputs.size() == 2) {
      Tensor output = apply(backend, Binary.POW, inputs, commonType(inputs));
      return Computed.of(output, inputs.get(0), inputs.get(1), output);
    }
    Tensor a = inputs.get(0);
    DType dtype = type(List.of(TensorType.of(a)), attributes).dtype();
    Term x = new Term(backend, a.to(dtype));
    return Computed.of(x.power(attributes.number(name(), "exponent", 0)).tensor(), a);
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    Term g = new Term(backend, gradOutput);
    Term a = saved(backend, saved, 0, gradOutput);
    if (saved.inputs().size() == 1) {
      double exponent = saved.attributes().number(name(), "exponent", 0);
      return exponent == 0
          ? Tensor.zeros(gradOutput.dtype(), gradOutput.shape())
          : g.times(a.power(exponent - 1).times(exponent)).tensor();
    }
    Term b = saved(backend, saved, 1, gradOutput);
    if (input == 0) {
      Term slope = b.times(a.apply(Binary.POW, b.minus(1)));
      return b.equal(0).choose(0, g.times(slope)).tensor();
    }
    // The logarithm of 0 is infinite, but 0 to a positive power is 0 nearby, too.
    Term flat = a.equal(0).times(b.atLeast(0));
    Term slope = saved(backend, saved, 2, gradOutput).times(a.log());
    return flat.choose(0, g.times(slope)).tensor();
  }
}
