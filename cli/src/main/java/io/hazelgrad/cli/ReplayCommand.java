package io.hazelgrad.cli;

import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.cli.replay.ProgramFile;
import io.hazelgrad.cli.replay.Replay;
import io.hazelgrad.cli.replay.Scenario;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The subcommand {@code replay}: runs programs of distributed autograd on worker JVMs. */
@Command(
    name = "replay",
    description = "Run the programs of a file on worker JVMs; print a JSON object for each.",
    mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE.json", description = "The file of programs.")
  private Path file;

  @Option(
      names = "--client",
      description = "Run each program in a thin client, which takes the part of worker A.")
  private boolean client;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    List<Scenario> scenarios = read();
    Set<String> workers = new LinkedHashSet<>();
    scenarios.forEach(scenario -> workers.addAll(scenario.workers()));
    if (workers.isEmpty()) {
      return Main.OK;
    }
    try (ClusterSession session =
        ClusterSession.open(
            driver(workers),
            LocalCluster.Spec.of(List.copyOf(workers))
                .withVerbose(Main.isVerbose(spec.commandLine())))) {
      return session.run(() -> replay(session.grid(), scenarios));
    }
  }

  private List<Scenario> read() {
    try {
      return ProgramFile.read(file);
    } catch (BadProgramException e) {
      throw new BadInputException(file + ": " + e.getMessage(), e);
    }
  }

  /** Returns a name for this JVM that differs from those of the workers. */
  private static String driver(Set<String> workers) {
    String name = "replay";
    while (workers.contains(name)) {
      name += "-";
    }
    return name;
  }

  private int replay(Grid grid, List<Scenario> scenarios) {
    PrintWriter out = spec.commandLine().getOut();
    try (GridClient connected = client ? GridClient.connect(LocalClients.config(grid)) : null) {
      Replay replay = new Replay(connected == null ? grid : connected);
      for (Scenario scenario : scenarios) {
        out.println(replay.run(scenario));
        out.flush();
      }
    }
    GridLeftovers left = GridLeftovers.await(grid);
    if (!left.isNone()) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("hazelgrad: " + left);
      err.flush();
    }
    return Main.OK;
  }
}
