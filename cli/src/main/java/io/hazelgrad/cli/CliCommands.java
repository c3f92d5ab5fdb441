package io.hazelgrad.cli;

import io.hazelgrad.launcher.CommandProvider;
import java.util.List;

/** The subcommands of this module; found by the {@code hazelgrad} command. */
public final class CliCommands implements CommandProvider {
  /** For the service loader. */
  public CliCommands() {}

  @Override
  public List<Class<?>> commands() {
    return List.of(
        StatusCommand.class,
        TraceCommand.class,
        ReplayCommand.class,
        ReplayOpsCommand.class,
        DemoCommand.class);
  }
}
