package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;

/** The layers that one worker holds. It lives there; the trainer has an RRef to it. */
@RemoteFunctions
public final class Stage {
  private final List<Layer> layers = new ArrayList<>();

  /** Makes the layers from one index up to, but without, another, of {@code count} in all. */
  public Stage(int from, int to, int count, long seed) {
    for (int index = from; index < to; index++) {
      layers.add(Layer.create(index, count, seed));
    }
  }

  /** Applies the layers. */
  public Variable forward(Variable x) {
    Variable y = x;
    for (Layer layer : layers) {
      y = layer.forward(y);
    }
    return y;
  }

  /** Returns references to the weights and biases. */
  public List<RRef<Variable>> parameters() {
    RRefs rrefs = RRefs.on(Grid.current());
    List<RRef<Variable>> parameters = new ArrayList<>();
    for (Layer layer : layers) {
      parameters.add(rrefs.local(layer.weight()));
      parameters.add(rrefs.local(layer.bias()));
    }
    return parameters;
  }
}
