package io.hazelgrad.cli;

import io.hazelgrad.cli.gpt.Parallelism;
import io.hazelgrad.cli.gpt.TrainingFile;
import io.hazelgrad.cli.gpt.TrainingReplay;
import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The subcommand {@code replay-training}: trains small transformers on worker JVMs. */
@Command(
    name = "replay-training",
    description = "Train the transformers of a file on worker JVMs; print a JSON object for each.",
    mixinStandardHelpOptions = true)
final class ReplayTrainingCommand implements Callable<Integer> {
  private static final int MAX_WORKERS = 16;

  @Parameters(paramLabel = "FILE.json", description = "The file of trainings.")
  private Path file;

  @Option(
      names = "--workers",
      defaultValue = "1",
      paramLabel = "N",
      description = "The number of workers, 1 to " + MAX_WORKERS + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--parallel",
      defaultValue = "data",
      paramLabel = "WAY",
      description =
          "The way in which several workers share a training: data, pipeline or both"
              + " (default: ${DEFAULT-VALUE}).")
  private Parallelism parallel;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    if (workers < 1 || workers > MAX_WORKERS) {
      throw new ParameterException(
          spec.commandLine(), "--workers must be between 1 and " + MAX_WORKERS + ": " + workers);
    }
    Parallelism way = Parallelism.of(workers, parallel);
    TrainingFile trainings = read();
    List<String> names = IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    LocalCluster.Spec cluster =
        LocalCluster.Spec.of(names).withVerbose(Main.isVerbose(spec.commandLine()));
    try (ClusterSession session = ClusterSession.open("trainer", cluster)) {
      return session.run(() -> replay(session.grid(), names, way, trainings));
    }
  }

  private TrainingFile read() {
    try {
      return TrainingFile.read(file);
    } catch (BadProgramException e) {
      throw new BadInputException(file + ": " + e.getMessage(), e);
    }
  }

  private int replay(Grid grid, List<String> names, Parallelism way, TrainingFile trainings) {
    PrintWriter out = spec.commandLine().getOut();
    TrainingReplay replay = new TrainingReplay(grid, names, way);
    trainings
        .cases()
        .forEach(
            fields -> {
              out.println(replay.run(fields, trainings.text()));
              out.flush();
            });
    return Main.OK;
  }
}
