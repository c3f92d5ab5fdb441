package io.hazelgrad.launcher;

import java.util.List;

/** Adds subcommands to the {@code hazelgrad} command; found by {@link java.util.ServiceLoader}. */
public interface CommandProvider {
  /** Returns classes with picocli's {@code @Command}, in the order of the help text. */
  List<Class<?>> commands();
}
