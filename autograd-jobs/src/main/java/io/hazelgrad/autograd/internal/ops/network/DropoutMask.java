package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * a * mask / (1 - p). Without a mask each element is dropped with probability {@code p}, 0.5 by
 * default; the same {@code seed} makes the same mask.
 */
public final class DropoutMask extends AbstractOperation {
  public DropoutMask() {
    super("dropout", 1, 2, "p", "seed");
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType input = inputs.get(0);
    requireFloats(input);
    if (inputs.size() == 2 && !inputs.get(1).equals(input)) {
      throw bad("mask must be " + input + ": " + inputs.get(1));
    }
    if (inputs.size() == 2 && attributes.has("seed")) {
      throw bad("takes a mask or a seed, not both: " + attributes);
    }
    double p = p(attributes);
    if (!(p >= 0 && p <= 1)) {
      throw bad("p=" + p + " is not within [0, 1]");
    }
    long unused = attributes.integer(name(), "seed", 0);
    return input;
  }

  private double p(Attributes attributes) {
    return attributes.number(name(), "p", 0.5);
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    Tensor a = inputs.get(0);
    if (inputs.size() == 2) {
      Term product = new Term(backend, backend.binary(Binary.MUL, a, inputs.get(1)));
      return Computed.of(product.over(1 - p(attributes)).tensor(), inputs.get(1), a);
    }
    Tensor scale = scale(a, attributes);
    return Computed.of(backend.binary(Binary.MUL, a, scale), scale);
  }

  /** Returns 0 where an element is dropped, else 1 / (1 - p). */
  private Tensor scale(Tensor a, Attributes attributes) {
    double p = p(attributes);
    SplittableRandom random =
        attributes.has("seed")
            ? new SplittableRandom(attributes.integer(name(), "seed"))
            : new SplittableRandom(ThreadLocalRandom.current().nextLong());
    double[] scale = new double[a.size()];
    Arrays.setAll(scale, i -> random.nextDouble() < p ? 0 : 1 / (1 - p));
    return Tensor.wrap(scale, a.shape()).to(a.dtype());
  }

  @Override
  public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    Term g = new Term(backend, gradOutput);
    Term scaled = g.times(g.of(saved.tensors().get(input)));
    boolean masked = saved.inputs().size() == 2;
    return (masked ? scaled.over(1 - p(saved.attributes())) : scaled).tensor();
  }
}
