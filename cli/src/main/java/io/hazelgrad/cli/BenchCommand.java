package io.hazelgrad.cli;

import io.hazelgrad.bench.BenchGroup;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Measures calls between this JVM, worker w0, and another one, worker w1. */
@Command(
    name = "bench",
    description = "Measure calls between two JVMs.",
    mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
  private static final String CALLER = "w0";
  private static final String CALLEE = "w1";

  @Parameters(
      paramLabel = "GROUP",
      converter = GroupConverter.class,
      description = "What to measure: latency, transfer or autograd.")
  private BenchGroup group;

  @Option(names = "--json", description = "Print one JSON object for each figure.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  BenchCommand() {}

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    try (Session session =
        Session.open(CALLER, List.of(CALLEE), Main.isVerbose(spec.commandLine()))) {
      return session.run(
          () -> {
            group.run(
                session.grid(),
                CALLEE,
                figure -> {
                  out.println(json ? figure.toJson() : figure.toText());
                  out.flush();
                });
            return Main.OK;
          });
    }
  }

  /** Reads a group's name as it is written on the command line. */
  static final class GroupConverter implements ITypeConverter<BenchGroup> {
    @Override
    public BenchGroup convert(String text) {
      for (BenchGroup group : BenchGroup.values()) {
        if (group.name().toLowerCase(Locale.ROOT).equals(text)) {
          return group;
        }
      }
      throw new TypeConversionException(
          "there is no group '" + text + "', only latency, transfer and autograd");
    }
  }
}
