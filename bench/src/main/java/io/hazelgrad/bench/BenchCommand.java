package io.hazelgrad.bench;

import io.hazelgrad.cli.ClusterSession;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The subcommand {@code bench}: measures between this JVM, worker w0, and workers w1, w2, ... */
@Command(
    name = "bench",
    description = "Measure calls, references and gradients between JVMs of this machine.",
    mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
  private static final String CALLER = "w0";
  private static final int MOST_LIVE = 100_000;

  @Parameters(
      paramLabel = "GROUP",
      converter = GroupConverter.class,
      description =
          "The group of figures: latency, transfer, sockets, rref, memory, scale, workers, failure,"
              + " client, autograd, mlp, ddp, ddp_sockets, jobs, ps, startup, local, gpu, secret or inner.")
  private BenchGroup group;

  @Option(names = "--json", description = "Print one JSON object for each figure.")
  private boolean json;

  @Option(
      names = "--live",
      paramLabel = "N",
      defaultValue = "" + MOST_LIVE,
      description =
          "The most references that the group scale keeps live (default: ${DEFAULT-VALUE}).")
  private int live;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    try (ClusterSession session =
        ClusterSession.open(
            CALLER,
            LocalCluster.Spec.of(group.others)
                .withJvmOptions(group.jvmOptions)
                .withVerbose(Main.isVerbose(spec.commandLine())))) {
      return group == BenchGroup.FAILURE // It kills workers.
          ? measure(session, out)
          : session.run(() -> measure(session, out));
    }
  }

  private int measure(ClusterSession session, PrintWriter out) {
    group.run(
        session.grid(),
        session.cluster(),
        live,
        figure -> {
          out.println(json ? figure.toJson() : figure.toText());
          out.flush();
        });
    return Main.OK;
  }

  /** Reads the name of a group from the command line. */
  static final class GroupConverter implements ITypeConverter<BenchGroup> {
    @Override
    public BenchGroup convert(String text) {
      for (BenchGroup group : BenchGroup.values()) {
        if (group.label().equals(text)) {
          return group;
        }
      }
      List<String> labels = Stream.of(BenchGroup.values()).map(BenchGroup::label).toList();
      throw new TypeConversionException(
          "there is no group '" + text + "', only " + String.join(", ", labels));
    }
  }
}
