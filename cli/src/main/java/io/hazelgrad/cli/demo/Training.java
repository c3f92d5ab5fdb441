package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridAccess;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Trains a network that is split over workers on pictures, and measures its accuracy. */
public final class Training {
  /** The most workers for {@link #mnist}: one layer on each. */
  public static final int MAX_MNIST_WORKERS = Stage.MNIST_LAYERS;

  private static final int BATCH = 32;
  private static final int MNIST_BATCH = 64;
  private static final long SEED = 1;

  private final ImageSet training;
  private final ImageSet heldOut;
  private final int batch;
  private final NetworkMaker maker;
  private final Random random;

  @FunctionalInterface
  private interface NetworkMaker {
    SplitNetwork make(GridAccess grid, List<String> workers, long seed);
  }

  private Training(
      ImageSet training, ImageSet heldOut, int batch, NetworkMaker maker, Random random) {
    this.training = training;
    this.heldOut = heldOut;
    this.batch = batch;
    this.maker = maker;
    this.random = random;
  }

  /** Reads the bundled digits; the held-out digits are always the same. */
  public static Training digits() {
    Random random = new Random(SEED);
    Digits digits = Digits.load(random);
    return new Training(digits.training(), digits.heldOut(), BATCH, SplitNetwork::ofDigits, random);
  }

  /**
   * Reads the files of MNIST. The pictures of the files "t10k" are held out.
   *
   * @throws BadDataException if a file is missing or wrong
   */
  public static Training mnist(Path folder) {
    Mnist files = Mnist.read(folder);
    return new Training(
        files.training(), files.heldOut(), MNIST_BATCH, SplitNetwork::ofMnist, new Random(SEED));
  }

  /**
   * The outcome of a training.
   *
   * @param accuracy the accuracy on the held-out pictures, from 0 to 1
   * @param steps the number of steps
   */
  public record Result(double accuracy, int steps) {}

  /** Returns the number of steps of an epoch. */
  public int stepsPerEpoch() {
    return (training.size() + batch - 1) / batch;
  }

  /** Trains on the workers and closes all references that it created. */
  public Result run(
      GridAccess trainer, List<String> workers, int epochs, TrainingProgress progress) {
    double accuracy = 0;
    try (SplitNetwork network = maker.make(trainer, workers, SEED)) {
      for (int epoch = 1; epoch <= epochs; epoch++) {
        double sum = 0;
        for (ImageSet some : training.shuffled(random).batches(batch)) {
          double loss = step(trainer, network, some);
          sum += loss;
          progress.step(epoch, loss);
        }
        accuracy = network.accuracy(heldOut);
        progress.epoch(epoch, sum / stepsPerEpoch(), accuracy);
      }
    }
    return new Result(accuracy, epochs * stepsPerEpoch());
  }

  private static double step(GridAccess trainer, SplitNetwork network, ImageSet batch) {
    try (Context context = Autograd.on(trainer).open()) {
      Variable loss = network.forward(batch.pixels()).crossEntropy(Variable.of(batch.labels()));
      context.backward(loss);
      network.step(context);
      return loss.value().item();
    }
  }
}
