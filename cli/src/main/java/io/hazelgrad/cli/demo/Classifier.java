package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** A small network for the bundled digits, of which every trainer has a copy. */
final class Classifier {
  private static final int WIDTH = 64;

  private final Sequential layers;
  private final List<Variable> parameters;

  Classifier(long seed) {
    Init init = Init.seeded(seed);
    layers =
        new Sequential(
            DemoLayers.hidden(Digits.PIXELS, WIDTH, init), new Linear(WIDTH, Digits.CLASSES, init));
    parameters = layers.parameters();
  }

  Variable forward(Tensor pixels) {
    return layers.forward(Variable.of(pixels));
  }

  List<Variable> parameters() {
    return parameters;
  }

  List<Tensor> values() {
    return parameters.stream().map(Variable::value).toList();
  }

  void set(List<Tensor> values) {
    for (int i = 0; i < parameters.size(); i++) {
      parameters.get(i).set(values.get(i));
    }
  }
}
