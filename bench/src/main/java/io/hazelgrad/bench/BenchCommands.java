package io.hazelgrad.bench;

import io.hazelgrad.launcher.CommandProvider;
import java.util.List;

/** The subcommand {@code bench}; found by the {@code hazelgrad} command in a checkout. */
public final class BenchCommands implements CommandProvider {
  /** For the service loader. */
  public BenchCommands() {}

  @Override
  public List<Class<?>> commands() {
    return List.of(BenchCommand.class);
  }
}
