package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Random;

/**
 * One layer of the network. The last one gives scores; the others apply ReLU. Between the first and
 * the last a layer adds to what it was given and starts small, so that networks of many layers
 * train too.
 */
record Layer(Variable weight, Variable bias, boolean first, boolean last) {
  private static final int WIDTH = 64;

  /** Makes layer {@code index} of {@code count} with weights after He et al., from a fixed seed. */
  static Layer create(int index, int count, long seed) {
    boolean first = index == 0;
    boolean last = index == count - 1;
    int inputs = first ? Digits.PIXELS : WIDTH;
    int outputs = last ? Digits.CLASSES : WIDTH;
    double deviation = Math.sqrt(2.0 / inputs) / (first || last ? 1 : count - 2);
    Random random = new Random(seed + index);
    float[] weights = new float[inputs * outputs];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) (deviation * random.nextGaussian());
    }
    return new Layer(
        Variable.parameter(Tensor.wrap(weights, outputs, inputs)),
        Variable.parameter(Tensor.zeros(DType.FLOAT32, outputs)),
        first,
        last);
  }

  Variable forward(Variable x) {
    Variable y = x.linear(weight, bias);
    if (last) {
      return y;
    }
    return first ? y.relu() : x.add(y.relu());
  }
}
