package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The layers of one worker. The trainer has an RRef to the stage.
 *
 * <p>Threads: safe; one batch is computed at a time.
 */
@RemoteFunctions
public final class Stage {
  /** The number of layers of {@link #ofMnist} on all workers. */
  static final int MNIST_LAYERS = 4;

  private static final int DIGITS_WIDTH = 64;
  private static final int MNIST_WIDTH = 64;

  /** The number of channels of the pictures and after each convolution. */
  private static final int[] MNIST_CHANNELS = {1, 8, 16};

  /** The pixels of a channel after both convolutions: 28 x 28, halved twice. */
  private static final int MNIST_AREA = 7 * 7;

  private final Sequential layers;

  private Stage(List<Module<Variable, Variable>> layers) {
    this.layers = new Sequential(layers);
  }

  /**
   * Creates the layers from one index (inclusive) to another (exclusive) of a network for the
   * bundled digits with {@code count} layers, at least two.
   */
  public static Stage ofDigits(int from, int to, int count, long seed) {
    List<Module<Variable, Variable>> layers = new ArrayList<>();
    for (int index = from; index < to; index++) {
      Init init = Init.seeded(seed + index);
      if (index == 0) {
        layers.add(DemoLayers.hidden(Digits.PIXELS, DIGITS_WIDTH, init));
      } else if (index == count - 1) {
        layers.add(new Linear(DIGITS_WIDTH, Digits.CLASSES, init));
      } else {
        layers.add(new DemoLayers.Residual(DIGITS_WIDTH, init));
      }
    }
    return new Stage(layers);
  }

  /** Creates one of three stages of two layers and similar cost, for the bundled digits. */
  public static Stage ofPipeline(int index, int channels, long seed) {
    Init init = Init.seeded(seed + index);
    Module<Variable, Variable> convolution = DemoLayers.convolution(channels, channels, init);
    return new Stage(
        switch (index) {
          case 0 ->
              List.of(
                  DemoLayers.reshaping(1, Digits.EXTENT, Digits.EXTENT),
                  DemoLayers.convolution(1, channels, init),
                  convolution);
          case 1 -> List.of(convolution, DemoLayers.convolution(channels, channels, init));
          default ->
              List.of(
                  convolution,
                  DemoLayers.reshaping(-1),
                  new Linear(channels * Digits.PIXELS, Digits.CLASSES, init));
        });
  }

  /** Creates the layers for MNIST from one index (inclusive) to another (exclusive). */
  public static Stage ofMnist(int from, int to, long seed) {
    List<Module<Variable, Variable>> layers = new ArrayList<>();
    for (int index = from; index < to; index++) {
      Init init = Init.seeded(seed + index);
      if (index < 2) {
        layers.add(DemoLayers.convolution(MNIST_CHANNELS[index], MNIST_CHANNELS[index + 1], init));
        layers.add(DemoLayers.pooling());
      } else if (index == 2) {
        layers.add(DemoLayers.reshaping(-1));
        layers.add(DemoLayers.hidden(MNIST_CHANNELS[2] * MNIST_AREA, MNIST_WIDTH, init));
      } else {
        layers.add(new Linear(MNIST_WIDTH, Mnist.CLASSES, init));
      }
    }
    return new Stage(layers);
  }

  /** Applies the layers. */
  public synchronized Variable forward(Variable x) {
    return layers.forward(x);
  }

  /** Returns references to the weights and biases. */
  public List<RRef<Variable>> parameters() {
    return layers.parameterRRefs(Grid.current());
  }

  /** Returns the gradients that the weights and biases have in the caller's context. */
  public List<Tensor> gradients() {
    Context context = Objects.requireNonNull(Autograd.on(Grid.current()).current(), "no context");
    return layers.parameters().stream()
        .map(each -> Objects.requireNonNull(context.gradient(each), "no gradient"))
        .toList();
  }
}
