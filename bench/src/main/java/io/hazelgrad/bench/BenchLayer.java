package io.hazelgrad.bench;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.List;
import java.util.Random;

/** A layer that benchmarks train, initialized like torch's {@code nn.Linear}. */
@RemoteFunctions
public final class BenchLayer {
  private final Variable weight;
  private final Variable bias;

  /** Creates a layer. */
  public BenchLayer(int inputs, int outputs, long seed) {
    Random random = new Random(seed);
    double bound = 1 / Math.sqrt(inputs);
    // The variance of uniform numbers is a third of the square of their bound.
    weight = Variable.parameter(random(random, bound / Math.sqrt(3), outputs, inputs));
    bias = Variable.parameter(random(random, bound / Math.sqrt(3), outputs));
  }

  /** Returns normally distributed numbers. */
  static Tensor random(Random random, double deviation, long... shape) {
    float[] data = new float[Math.toIntExact(Tensor.sizeOf(shape))];
    for (int i = 0; i < data.length; i++) {
      data[i] = (float) (deviation * random.nextGaussian());
    }
    return Tensor.wrap(data, shape);
  }

  /** Returns the linear output with ReLU. */
  public Variable forward(Variable x) {
    return linear(x).relu();
  }

  Variable linear(Variable x) {
    return x.linear(weight, bias);
  }

  List<Variable> variables() {
    return List.of(weight, bias);
  }

  /** Returns references to weight and bias. */
  public List<RRef<Variable>> parameters() {
    RRefs rrefs = RRefs.on(Grid.current());
    return List.of(rrefs.local(weight), rrefs.local(bias));
  }
}
