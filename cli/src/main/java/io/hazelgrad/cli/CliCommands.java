package io.hazelgrad.cli;

import io.hazelgrad.cli.models.ExportCommand;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.CommandProvider;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Provides the subcommands beside {@code member}, in the order of the help text. */
public final class CliCommands implements CommandProvider {
  @Override
  public List<Class<?>> commands() {
    return List.of(
        StatusCommand.class,
        JobsCommand.class,
        WhyCommand.class,
        ForceLeaveCommand.class,
        DashboardCommand.class,
        TraceCommand.class,
        ReplayCommand.class,
        ReplayOpsCommand.class,
        ReplayTrainingCommand.class,
        ExportCommand.class,
        DemoCommand.class,
        bench());
  }

  /** Returns the command of the module bench, or in a distribution, which lacks it, a refusal. */
  private static Class<?> bench() {
    try {
      return Class.forName("io.hazelgrad.bench.BenchCommand");
    } catch (ClassNotFoundException e) {
      return MissingBench.class;
    }
  }

  /** Refuses {@code bench} in a distribution, which has no benchmarks. */
  @Command(name = "bench", hidden = true)
  private static final class MissingBench implements Runnable {
    /** All arguments, so that none of them is refused before the command is. */
    @Unmatched private List<String> arguments = new ArrayList<>();

    @Override
    public void run() {
      throw new BadInputException(
          "bench needs a checkout: a distribution has no benchmarks; run ./hazelgrad bench"
              + (arguments.isEmpty() ? "" : " " + String.join(" ", arguments))
              + " in a checkout");
    }
  }
}
