package io.hazelgrad.cli;

import io.hazelgrad.cli.TrainingOptions.Outcome;
import io.hazelgrad.cli.TrainingOptions.Task;
import io.hazelgrad.cli.demo.BadDataException;
import io.hazelgrad.cli.demo.Training;
import io.hazelgrad.launcher.BadInputException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The demo {@code mnist}: trains a convolutional network that is split over worker JVMs. */
@Command(
    name = "mnist",
    description = "Train a convolutional network, split over worker JVMs, on the files of MNIST.",
    mixinStandardHelpOptions = true)
final class MnistCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = {
        "The folder with train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte"
            + " and t10k-labels-idx1-ubyte, each also with .gz."
      })
  private Path data;

  @Option(
      names = "--workers",
      defaultValue = "2",
      paramLabel = "N",
      description =
          "The number of workers, 1 to "
              + Training.MAX_MNIST_WORKERS
              + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--epochs",
      defaultValue = "2",
      paramLabel = "N",
      description = "The number of epochs (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Mixin private TrainingOptions options;

  /** Creates the command; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  MnistCommand() {}

  @Override
  public Integer call() throws Exception {
    options.require("--workers", workers, 1, Training.MAX_MNIST_WORKERS);
    options.require("--epochs", epochs, 1, Integer.MAX_VALUE);
    Training training = read();
    return options.train(
        new Task("mnist", workers, training.stepsPerEpoch(), epochs),
        (grid, names, progress) -> Outcome.of(training.run(grid, names, epochs, progress)));
  }

  private Training read() {
    try {
      return Training.mnist(data);
    } catch (BadDataException e) {
      throw new BadInputException(String.valueOf(e.getMessage()), e);
    }
  }
}
