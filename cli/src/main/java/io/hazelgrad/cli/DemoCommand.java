package io.hazelgrad.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The subcommand {@code demo}, with a subcommand for each demo. */
@Command(
    name = "demo",
    description = "Run a demo: a training that uses the whole grid.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "DEMO",
    subcommands = {
      DigitsCommand.class,
      ParameterServerCommand.class,
      PipelineCommand.class,
      MnistCommand.class,
      GptCommand.class,
      ElasticCommand.class,
      ServeCommand.class
    })
final class DemoCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "the name of a demo is missing");
  }
}
