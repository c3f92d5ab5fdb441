package io.hazelgrad.cli;

import io.hazelgrad.cli.demo.SharedTraining;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The demo {@code parameter-server}: several trainers train one network. */
@Command(
    name = "parameter-server",
    description = {
      "Train one network by several worker JVMs on handwritten digits. This JVM has the parameters;"
          + " each step takes a gradient from every trainer and replies to all at once."
    },
    mixinStandardHelpOptions = true)
final class ParameterServerCommand extends TrainingCommand {
  private static final int MAX_TRAINERS = 16;

  @Option(
      names = "--trainers",
      defaultValue = "3",
      paramLabel = "N",
      description =
          "The number of trainers, 1 to " + MAX_TRAINERS + " (default: ${DEFAULT-VALUE}).")
  private int trainers;

  ParameterServerCommand() {
    super(15);
  }

  @Override
  public Integer call() throws Exception {
    require("--trainers", trainers, 1, MAX_TRAINERS);
    return run(trainers, false, () -> new SharedTraining(trainers));
  }
}
