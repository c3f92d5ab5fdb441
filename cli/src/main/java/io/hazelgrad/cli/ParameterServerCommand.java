package io.hazelgrad.cli;

import io.hazelgrad.cli.TrainingOptions.Outcome;
import io.hazelgrad.cli.TrainingOptions.Task;
import io.hazelgrad.cli.demo.SharedTraining;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Trains one network by several trainers, whose gradients meet in a parameter server. */
@Command(
    name = "parameter-server",
    description = {
      "Train one network by several worker JVMs on handwritten digits. Its parameters are here; each"
          + " step takes a gradient from every trainer and answers all at once."
    },
    mixinStandardHelpOptions = true)
final class ParameterServerCommand implements Callable<Integer> {
  private static final int MAX_TRAINERS = 16;

  @Option(
      names = "--trainers",
      defaultValue = "3",
      paramLabel = "N",
      description = "How many trainers, 1 to " + MAX_TRAINERS + " (default: ${DEFAULT-VALUE}).")
  private int trainers;

  @Option(
      names = "--epochs",
      defaultValue = "15",
      paramLabel = "N",
      description = "How often to see all training digits (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Mixin private TrainingOptions options;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  ParameterServerCommand() {}

  @Override
  public Integer call() throws Exception {
    options.require("--trainers", trainers, 1, MAX_TRAINERS);
    options.require("--epochs", epochs, 1, Integer.MAX_VALUE);
    SharedTraining training = new SharedTraining(trainers);
    return options.train(
        new Task("parameter-server", trainers, training.stepsPerEpoch(), epochs),
        (grid, names, progress) -> Outcome.of(training.run(grid, names, epochs, progress)));
  }
}
