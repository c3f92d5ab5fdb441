package io.hazelgrad.cli;

import io.hazelgrad.launcher.CommandProvider;
import java.util.List;

/** Provides the subcommands beside {@code member}, in the order of the help text. */
public final class CliCommands implements CommandProvider {
  @Override
  public List<Class<?>> commands() {
    return List.of(
        StatusCommand.class,
        JobsCommand.class,
        ForceLeaveCommand.class,
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
      return MissingBenchCommand.class;
    }
  }
}
