package io.hazelgrad.cli;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.profile.Event;
import io.hazelgrad.grid.profile.Profiler;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.Main;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The subcommand {@code trace}: records all workers of a grid for some seconds. */
@Command(
    name = "trace",
    description = "Record what all workers do for some seconds, as a file for ui.perfetto.dev.",
    mixinStandardHelpOptions = true)
final class TraceCommand implements Callable<Integer> {
  private static final int MOST_SECONDS = 3_600;

  @Mixin private ClusterConnection connection;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "The seconds to record, 1 to " + MOST_SECONDS + " (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(names = "--out", required = true, paramLabel = "FILE", description = "The file to write.")
  private Path out;

  @Option(
      names = "--detailed",
      description = "Record shapes of tensors and allocated memory too, which costs time.")
  private boolean detailed;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new BadInputException(
          "--seconds must be between 1 and " + MOST_SECONDS + ": " + seconds);
    }
    Path folder = out.toAbsolutePath().getParent();
    if (Files.isDirectory(out) || folder == null || !Files.isWritable(folder)) {
      String reason = ": its folder is missing or read-only, or it is a folder itself";
      throw new BadInputException("--out: cannot write " + out + reason);
    }
    try (GridClient client = connection.connect();
        GridTrace trace =
            GridTrace.start(
                client,
                detailed,
                what -> spec.commandLine().getErr().println("hazelgrad: " + what))) {
      TimeUnit.SECONDS.sleep(seconds);
      List<Event> events = trace.stop();
      try (OutputStream to = Files.newOutputStream(out)) {
        Profiler.writeTrace(events, to);
      } catch (IOException e) {
        throw new FailedException("cannot write " + out + ": " + e, e);
      }
      System.out.printf(
          "%s: %d events of %d workers%n", out, events.size(), trace.recordedWorkers());
    }
    return Main.OK;
  }
}
