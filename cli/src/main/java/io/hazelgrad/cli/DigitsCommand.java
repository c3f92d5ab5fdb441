package io.hazelgrad.cli;

import io.hazelgrad.cli.demo.Demo;
import io.hazelgrad.cli.demo.Training;
import io.hazelgrad.cli.demo.TrainingProgress;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The demo {@code digits}: trains a network, split over worker JVMs, on handwritten digits. */
@Command(
    name = "digits",
    description = "Train a network, split over worker JVMs, on handwritten digits.",
    mixinStandardHelpOptions = true)
final class DigitsCommand extends TrainingCommand {
  private static final int MAX_WORKERS = 16;

  @Option(
      names = "--workers",
      defaultValue = "3",
      paramLabel = "N",
      description = "The number of workers, 1 to " + MAX_WORKERS + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(names = "--client", description = "Train from a thin client, not from a worker.")
  private boolean client;

  DigitsCommand() {
    super(15);
  }

  @Override
  Demo demo() {
    require("--workers", workers, 1, MAX_WORKERS);
    return Training.digits();
  }

  @Override
  int workers() {
    return workers;
  }

  @Override
  Demo.Result train(
      Demo demo, Grid grid, List<String> names, int epochs, TrainingProgress progress) {
    if (!client) {
      return super.train(demo, grid, names, epochs, progress);
    }
    try (GridClient connected = GridClient.connect(LocalClients.config(grid))) {
      return demo.run(connected, names, epochs, progress);
    }
  }
}
