package io.hazelgrad.cli;

import io.hazelgrad.cli.TrainingOptions.Outcome;
import io.hazelgrad.cli.TrainingOptions.Task;
import io.hazelgrad.cli.demo.Training;
import io.hazelgrad.cli.demo.TrainingProgress;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The demo {@code digits}: trains a network, split over worker JVMs, on handwritten digits. */
@Command(
    name = "digits",
    description = "Train a network, split over worker JVMs, on handwritten digits.",
    mixinStandardHelpOptions = true)
final class DigitsCommand implements Callable<Integer> {
  private static final int MAX_WORKERS = 16;

  @Option(
      names = "--workers",
      defaultValue = "3",
      paramLabel = "N",
      description = "The number of workers, 1 to " + MAX_WORKERS + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--epochs",
      defaultValue = "15",
      paramLabel = "N",
      description = "The number of epochs (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Option(names = "--client", description = "Train from a thin client, not from a worker.")
  private boolean client;

  @Mixin private TrainingOptions options;

  /** Creates the command; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  DigitsCommand() {}

  @Override
  public Integer call() throws Exception {
    options.require("--workers", workers, 1, MAX_WORKERS);
    options.require("--epochs", epochs, 1, Integer.MAX_VALUE);
    Training training = Training.digits();
    return options.train(
        new Task("digits", workers, training.stepsPerEpoch(), epochs),
        (grid, names, progress) ->
            Outcome.of(
                client
                    ? fromClient(grid, names, training, progress)
                    : training.run(grid, names, epochs, progress)));
  }

  private Training.Result fromClient(
      Grid grid, List<String> names, Training training, TrainingProgress progress) {
    try (GridClient connected = ClusterSession.connect(grid)) {
      return training.run(connected, names, epochs, progress);
    }
  }
}
