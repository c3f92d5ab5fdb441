package io.hazelgrad.cli;

import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.cli.replay.OperationCase;
import io.hazelgrad.cli.replay.ProgramFile;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The subcommand {@code replay-ops}: runs single operations and their gradients here. */
@Command(
    name = "replay-ops",
    description = "Run the operations of a file; print a JSON object for each.",
    mixinStandardHelpOptions = true)
final class ReplayOpsCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE.json", description = "The file of operations.")
  private Path file;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try {
      ProgramFile.readCases(file).stream().map(OperationCase::run).toList().forEach(out::println);
    } catch (BadProgramException e) {
      throw new BadInputException(file + ": " + e.getMessage(), e);
    }
    out.flush();
    return Main.OK;
  }
}
