package io.hazelgrad.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The demos. */
@Command(
    name = "demo",
    description = "Show what the grid can do.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "DEMO",
    subcommands = {
      DigitsCommand.class,
      ParameterServerCommand.class,
      PipelineCommand.class,
      MnistCommand.class
    })
public final class DemoCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  DemoCommand() {}

  /** Without a demo's name. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "the name of a demo is missing");
  }
}
