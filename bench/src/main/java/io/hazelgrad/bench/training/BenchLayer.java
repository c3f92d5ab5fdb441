package io.hazelgrad.bench.training;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.rref.RRef;
import java.util.List;

/** A linear layer with ReLU that benchmarks train. */
@RemoteFunctions
public final class BenchLayer {
  private final Linear linear;

  /** Creates a layer. */
  public BenchLayer(int inputs, int outputs, long seed) {
    linear = new Linear(inputs, outputs, Init.seeded(seed));
  }

  /** Returns the linear output with ReLU. */
  public Variable forward(Variable x) {
    return linear.forward(x).relu();
  }

  /** Returns weight and bias. */
  public List<Variable> variables() {
    return linear.parameters();
  }

  /** Returns references to weight and bias. */
  public List<RRef<Variable>> parameters() {
    return linear.parameterRRefs(Grid.current());
  }
}
