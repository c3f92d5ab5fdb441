package io.hazelgrad.cli;

import io.hazelgrad.cli.gpt.Parallelism;
import io.hazelgrad.cli.gpt.TrainingFile;
import io.hazelgrad.cli.gpt.TrainingReplay;
import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.grid.Device;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The subcommand {@code replay-training}: trains small transformers on worker JVMs. */
@Command(
    name = "replay-training",
    description = "Train the transformers of a file on worker JVMs; print a JSON object for each.",
    mixinStandardHelpOptions = true)
final class ReplayTrainingCommand implements Callable<Integer> {
  private static final int MAX_WORKERS = 16;
  private static final int LEAST_WITH_KILLS = 3;

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

  @Option(
      names = "--kill-every-steps",
      paramLabel = "K",
      description =
          "Train by jobs that go on after losses; kill a worker with SIGKILL after every K steps"
              + " and start it again.")
  private @Nullable Integer killEvery;

  @Option(
      names = "--device",
      defaultValue = "cpu",
      paramLabel = "DEVICE",
      converter = DeviceConverter.class,
      description =
          "The device on which each worker has its model, such as gpu:0 (default: ${DEFAULT-VALUE}).")
  private Device device;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    OptionRange.require(spec, "--workers", workers, 1, MAX_WORKERS);
    checkKills();
    Parallelism way = Parallelism.of(workers, parallel);
    checkDevice(way);
    TrainingFile trainings = read();
    List<String> names = IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    LocalCluster.Spec cluster =
        LocalCluster.Spec.of(names).withVerbose(Main.isVerbose(spec.commandLine()));
    if (killEvery != null) {
      try (ElasticSession session = ElasticSession.open(cluster)) {
        return replay(
            TrainingReplay.withKills(session.cluster(), session.client(), killEvery), trainings);
      }
    }
    try (ClusterSession session = ClusterSession.open("trainer", cluster)) {
      return session.run(
          () -> replay(TrainingReplay.on(session.grid(), names, way, device), trainings));
    }
  }

  /** A grid that loses a member needs most of its members to go on: two of three. */
  private void checkKills() {
    if (killEvery == null) {
      return;
    }
    OptionRange.require(spec, "--kill-every-steps", killEvery, 1, Integer.MAX_VALUE);
    if (workers < LEAST_WITH_KILLS || parallel != Parallelism.DATA) {
      throw new ParameterException(
          spec.commandLine(),
          "--kill-every-steps needs --parallel data and --workers of at least %d: %s, %d"
              .formatted(LEAST_WITH_KILLS, parallel, workers));
    }
  }

  /** Tensors that go from stage to stage, and models of jobs, are on the CPU. */
  private void checkDevice(Parallelism way) {
    boolean isWhole = way == Parallelism.NONE || way == Parallelism.DATA;
    if (!device.equals(Device.CPU) && (!isWhole || killEvery != null)) {
      throw new ParameterException(
          spec.commandLine(),
          "--device %s needs --parallel data, without --kill-every-steps".formatted(device));
    }
  }

  private TrainingFile read() {
    try {
      return TrainingFile.read(file);
    } catch (BadProgramException e) {
      throw new BadInputException(file + ": " + e.getMessage(), e);
    }
  }

  private int replay(TrainingReplay replay, TrainingFile trainings) {
    PrintWriter out = spec.commandLine().getOut();
    trainings
        .cases()
        .forEach(
            fields -> {
              out.println(replay.run(fields, trainings.text()));
              out.flush();
            });
    return Main.OK;
  }

  /** Reads a device from the command line. */
  static final class DeviceConverter implements ITypeConverter<Device> {
    @Override
    public Device convert(String text) {
      try {
        return Device.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
