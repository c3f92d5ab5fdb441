package io.hazelgrad.tests.guides;

import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.launcher.Main;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options of the code with their defaults, in the words of the reference pages. */
final class DocumentedOptions {
  /** Stands for a default that the code does not tell. */
  static final String UNKNOWN = "?";

  /** The options that the commands for a running grid share. */
  private static final String CONNECTION = "connection";

  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  private DocumentedOptions() {}

  /** Returns the settings of a worker. Some have no getter, and so no known default. */
  static Map<String, String> settings() {
    HazelgradConfig config = HazelgradConfig.named("w1").build();
    Map<String, String> settings = new LinkedHashMap<>();
    for (Method setter : HazelgradConfig.Builder.class.getDeclaredMethods()) {
      if (Modifier.isPublic(setter.getModifiers())
          && setter.getReturnType().equals(HazelgradConfig.Builder.class)) {
        String name = setter.getName();
        settings.put(name, getter(name).map(it -> text(name, invoke(it, config))).orElse(UNKNOWN));
      }
    }
    return settings;
  }

  private static Optional<Method> getter(String name) {
    return Stream.of(HazelgradConfig.class.getMethods())
        .filter(it -> it.getName().equals(name) && it.getParameterCount() == 0)
        .findFirst();
  }

  /** Returns the components of a record with the values of this one. */
  static Map<String, String> of(Record defaults) {
    Map<String, String> values = new LinkedHashMap<>();
    for (RecordComponent each : defaults.getClass().getRecordComponents()) {
      values.put(each.getName(), text(each.getName(), invoke(each.getAccessor(), defaults)));
    }
    return values;
  }

  /** Returns the options of all commands by the names of the commands. */
  static Map<String, Map<String, String>> ofCommands() {
    Map<String, Map<String, String>> commands = new LinkedHashMap<>();
    Main.commandLine().getSubcommands().values().forEach(it -> add(it, commands));
    return commands;
  }

  private static void add(CommandLine command, Map<String, Map<String, String>> commands) {
    command.getSubcommands().values().forEach(it -> add(it, commands));
    CommandSpec spec = command.getCommandSpec();
    if (command.getSubcommands().isEmpty()) {
      Map<String, String> own = options(spec);
      CommandSpec connection = spec.mixins().get(CONNECTION);
      if (connection != null) {
        commands.put(CONNECTION, options(connection));
        own.keySet().removeAll(options(connection).keySet());
      }
      commands.put(spec.qualifiedName(), own);
    }
  }

  private static Map<String, String> options(CommandSpec command) {
    Map<String, String> options = new LinkedHashMap<>();
    for (OptionSpec each : command.options()) {
      if (!each.usageHelp() && !each.versionHelp() && !each.inherited()) {
        options.put(each.longestName(), text(each));
      }
    }
    return options;
  }

  private static String text(OptionSpec option) {
    if (option.required()) {
      return "required";
    }
    if (option.type().equals(boolean.class)) {
      return "false";
    }
    String value = option.defaultValueString();
    boolean isLiteral = value != null && !value.matches("\\[]|\\{}|null|.*\\$.*");
    return isLiteral ? value.strip() : UNKNOWN;
  }

  private static @Nullable Object invoke(Method method, Object target) {
    try {
      return method.invoke(target);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static String text(String name, @Nullable Object value) {
    if (value == null || value.equals("")) {
      return "none";
    }
    if (value instanceof Duration time) {
      return time.toSeconds() + " s";
    }
    if (value instanceof Double number) {
      BigDecimal digits = new BigDecimal(number.toString()).stripTrailingZeros();
      return number < 1 ? digits.toString() : digits.toPlainString();
    }
    if (value instanceof Number number) {
      return number(name, number.longValue());
    }
    if (value instanceof Record) {
      return UNKNOWN; // It has a table of its own.
    }
    if (value instanceof Map<?, ?> map) {
      return text(name, map.keySet());
    }
    if (value instanceof Collection<?> all) {
      return all.isEmpty()
          ? "none"
          : all.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
    return value.toString();
  }

  private static String number(String name, long value) {
    long heap = Runtime.getRuntime().maxMemory();
    if (value == Long.MAX_VALUE) {
      return "no limit";
    } else if (name.endsWith("Bytes") && value == heap / 4) {
      return "a quarter of the heap";
    } else if (name.endsWith("Bytes") && value == heap / 2) {
      return "half of the heap";
    } else if (name.endsWith("Bytes") && value > 0 && value % MIB == 0) {
      return value / MIB + " MiB";
    } else if (name.endsWith("Bytes") && value > 0 && value % KIB == 0) {
      return value / KIB + " KiB";
    }
    return "%,d".formatted(value);
  }
}
