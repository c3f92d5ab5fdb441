package io.hazelgrad.launcher;

import java.util.List;

/** Provides subcommands of {@code hazelgrad}. {@link java.util.ServiceLoader} finds it. */
public interface CommandProvider {
  /** Returns classes that have picocli's {@code @Command}, in the order of the help text. */
  List<Class<?>> commands();
}
