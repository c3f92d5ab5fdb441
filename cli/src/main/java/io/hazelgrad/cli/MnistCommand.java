package io.hazelgrad.cli;

import io.hazelgrad.cli.demo.Training;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The demo {@code mnist}: trains a convolutional network that is split over worker JVMs. */
@Command(
    name = "mnist",
    description = "Train a convolutional network, split over worker JVMs, on the files of MNIST.",
    mixinStandardHelpOptions = true)
final class MnistCommand extends TrainingCommand {
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

  MnistCommand() {
    super(2);
  }

  @Override
  public Integer call() throws Exception {
    require("--workers", workers, 1, Training.MAX_MNIST_WORKERS);
    return run(workers, false, () -> Training.mnist(data));
  }
}
