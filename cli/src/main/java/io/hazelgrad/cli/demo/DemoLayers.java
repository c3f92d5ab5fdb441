package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Conv2d;
import io.hazelgrad.autograd.nn.ConvOptions;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.ops.Attributes;
import java.util.stream.LongStream;

/** The layers of the demos' networks. */
final class DemoLayers {
  private static final int WINDOW = 3;
  private static final int CLASSIFIER_WIDTH = 64;
  private static final ConvOptions SAME_SIZE = ConvOptions.defaults().withPadding(1);
  private static final Attributes HALF_SIZE = Attributes.of("kernel", 2);

  private DemoLayers() {}

  /** Returns a small network for the bundled digits. */
  static Module<Variable, Variable> classifier(long seed) {
    Init init = Init.seeded(seed);
    return new Sequential(
        hidden(Digits.PIXELS, CLASSIFIER_WIDTH, init),
        new Linear(CLASSIFIER_WIDTH, Digits.CLASSES, init));
  }

  /** Returns a fully connected layer with ReLU. */
  static Module<Variable, Variable> hidden(int inputs, int outputs, Init init) {
    return new Sequential(new Linear(inputs, outputs, init), Module.of(Variable::relu));
  }

  /** Returns a convolution with windows of 3 x 3 and ReLU. */
  static Module<Variable, Variable> convolution(int inputs, int outputs, Init init) {
    return new Sequential(
        new Conv2d(inputs, outputs, WINDOW, SAME_SIZE, init), Module.of(Variable::relu));
  }

  /** Returns max pooling with windows of 2 x 2. */
  static Module<Variable, Variable> pooling() {
    return Module.of(x -> Variable.apply("max_pool2d", HALF_SIZE, x));
  }

  /** Returns a layer that reshapes each picture of a batch; one extent may be -1. */
  static Module<Variable, Variable> reshaping(long... shape) {
    return Module.of(
        x ->
            x.reshape(
                LongStream.concat(LongStream.of(x.value().shape(0)), LongStream.of(shape))
                    .toArray()));
  }

  /** A fully connected residual layer, which adds its output to its input. */
  static final class Residual extends Module<Variable, Variable> {
    private final Module<Variable, Variable> added;

    Residual(int width, Init init) {
      added = child("added", hidden(width, width, init));
    }

    @Override
    public Variable forward(Variable x) {
      return x.add(added.forward(x));
    }
  }
}
