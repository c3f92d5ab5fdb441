package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridAccess;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Trains a network that is split over workers on pictures, and measures its accuracy. */
public class Training implements Demo {
  /** The most workers for {@link #mnist}: one layer on each. */
  public static final int MAX_MNIST_WORKERS = Stage.MNIST_LAYERS;

  static final long SEED = 1;
  private static final int BATCH = 32;
  private static final int MNIST_BATCH = 64;

  final ImageSet training;
  private final ImageSet heldOut;
  private final int batch;
  private final SplitNetwork.Maker maker;
  private final Random random;

  Training(
      ImageSet training, ImageSet heldOut, int batch, SplitNetwork.Maker maker, Random random) {
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
    return new Training(
        digits.training(),
        digits.heldOut(),
        BATCH,
        (rrefs, worker, i, n) -> {
          int layers = Math.max(2, n);
          int end = (i + 1) * layers / n;
          return rrefs.remote(worker, Stage::ofDigits, i * layers / n, end, layers, SEED);
        },
        random);
  }

  /**
   * Reads the files of MNIST. The pictures of the files "t10k" are held out.
   *
   * @throws io.hazelgrad.launcher.BadInputException if a file is missing or wrong
   */
  public static Training mnist(Path folder) {
    Mnist files = Mnist.read(folder);
    int layers = Stage.MNIST_LAYERS;
    return new Training(
        files.training(),
        files.heldOut(),
        MNIST_BATCH,
        (rrefs, worker, i, n) ->
            rrefs.remote(worker, Stage::ofMnist, i * layers / n, (i + 1) * layers / n, SEED),
        new Random(SEED));
  }

  @Override
  public int stepsPerEpoch() {
    return (training.size() + batch - 1) / batch;
  }

  @Override
  public Result run(
      GridAccess trainer, List<String> workers, int epochs, TrainingProgress progress) {
    double accuracy = 0;
    try (SplitNetwork network = new SplitNetwork(trainer, workers, maker)) {
      start(trainer, network);
      for (int epoch = 1; epoch <= epochs; epoch++) {
        double sum = 0;
        List<ImageSet> batches = training.shuffled(random).batches(batch);
        for (ImageSet some : batches.subList(0, stepsPerEpoch())) {
          double loss = step(trainer, network, some);
          sum += loss;
          progress.step(epoch, loss);
        }
        accuracy = network.accuracy(heldOut);
        progress.epoch(epoch, sum / stepsPerEpoch(), accuracy);
      }
    }
    return new Result(accuracy);
  }

  /** Called before the first step. */
  void start(GridAccess trainer, SplitNetwork network) {}

  /** Makes a step and returns the loss before it. */
  double step(GridAccess trainer, SplitNetwork network, ImageSet some) {
    try (Context context = Autograd.on(trainer).open()) {
      double loss = backward(context, network, some);
      network.step(context);
      return loss;
    }
  }

  /** Sends a batch forward and backward in one piece and returns its loss. */
  static double backward(Context context, SplitNetwork network, ImageSet some) {
    Variable loss = network.forward(some.pixels()).crossEntropy(Variable.of(some.labels()));
    context.backward(loss);
    return loss.value().item();
  }
}
