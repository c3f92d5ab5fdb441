package io.hazelgrad.cli;

import io.hazelgrad.cli.TrainingOptions.Outcome;
import io.hazelgrad.cli.TrainingOptions.Task;
import io.hazelgrad.cli.demo.SharedTraining;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The demo {@code parameter-server}: several trainers train one network. */
@Command(
    name = "parameter-server",
    description = {
      "Train one network by several worker JVMs on handwritten digits. This JVM has the parameters;"
          + " each step takes a gradient from every trainer and replies to all at once."
    },
    mixinStandardHelpOptions = true)
final class ParameterServerCommand implements Callable<Integer> {
  private static final int MAX_TRAINERS = 16;

  @Option(
      names = "--trainers",
      defaultValue = "3",
      paramLabel = "N",
      description =
          "The number of trainers, 1 to " + MAX_TRAINERS + " (default: ${DEFAULT-VALUE}).")
  private int trainers;

  @Option(
      names = "--epochs",
      defaultValue = "15",
      paramLabel = "N",
      description = "The number of epochs (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Mixin private TrainingOptions options;

  /** Creates the command; picocli sets the fields. */
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
