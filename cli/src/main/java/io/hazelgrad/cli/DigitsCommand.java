package io.hazelgrad.cli;

import io.hazelgrad.cli.demo.Training;
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
  public Integer call() throws Exception {
    require("--workers", workers, 1, MAX_WORKERS);
    return run(workers, client, Training::digits);
  }
}
