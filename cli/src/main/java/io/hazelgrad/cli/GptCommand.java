package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hazelgrad.cli.demo.LossCurve;
import io.hazelgrad.cli.gpt.Parallelism;
import io.hazelgrad.cli.gpt.TextDemo;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The demo {@code gpt}: trains a transformer of characters in parallel and prints a sample. */
@Command(
    name = "gpt",
    description = "Train a transformer of characters on a text, in parallel; print a sample.",
    mixinStandardHelpOptions = true)
final class GptCommand implements Callable<Integer> {
  private static final int MAX_WORKERS = 16;
  private static final int MAX_SAMPLE = 10_000;

  @Option(
      names = "--workers",
      defaultValue = "4",
      paramLabel = "N",
      description = "The number of workers, 1 to " + MAX_WORKERS + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--parallel",
      defaultValue = "data",
      paramLabel = "WAY",
      description =
          "data: replicas of the model; pipeline: stages; both (default: ${DEFAULT-VALUE}).")
  private Parallelism parallel;

  @Option(
      names = "--steps",
      defaultValue = "300",
      paramLabel = "N",
      description = "The number of steps (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--text",
      paramLabel = "FILE",
      description = "The text to learn (default: the licence of this project).")
  private @Nullable Path text;

  @Option(
      names = "--prompt",
      defaultValue = "The ",
      paramLabel = "TEXT",
      description = "The beginning of the sample (default: \"${DEFAULT-VALUE}\").")
  private String prompt;

  @Option(
      names = "--sample",
      defaultValue = "300",
      paramLabel = "N",
      description = "The number of characters of the sample (default: ${DEFAULT-VALUE}).")
  private int sample;

  @Option(names = "--json", description = "Print one JSON object in the last line, no text.")
  private boolean json;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw the loss into a file whose name ends in .png or .svg.")
  private @Nullable Path plot;

  @Spec private CommandSpec spec;

  private final long start = System.nanoTime();

  @Override
  public Integer call() throws Exception {
    require("--workers", workers, MAX_WORKERS);
    require("--steps", steps, Integer.MAX_VALUE);
    require("--sample", sample, MAX_SAMPLE);
    if (prompt.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--prompt needs at least one character");
    }
    Parallelism way = Parallelism.of(workers, parallel);
    TextDemo demo = TextDemo.of(readText(), steps);
    LossCurve curve = plot == null ? null : new LossCurve(spec.name(), plot);
    List<String> names = IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    LocalCluster.Spec cluster =
        LocalCluster.Spec.of(names).withVerbose(Main.isVerbose(spec.commandLine()));
    try (ClusterSession session = ClusterSession.open("trainer", cluster)) {
      return session.run(() -> train(session.grid(), names, way, demo, curve));
    }
  }

  private void require(String option, int value, int most) {
    OptionRange.require(spec, option, value, 1, most);
  }

  private String readText() {
    if (text == null) {
      return TextDemo.bundledText();
    }
    try {
      return Files.readString(text);
    } catch (IOException e) {
      throw new BadInputException("cannot read the text " + text + ": " + e, e);
    }
  }

  private int train(
      Grid grid, List<String> names, Parallelism way, TextDemo demo, @Nullable LossCurve curve) {
    PrintWriter out = spec.commandLine().getOut();
    TextDemo.Result result;
    try (ProgressDisplay display = new ProgressDisplay(out, false, spec.name(), steps, 1, curve)) {
      result = demo.train(grid, names, way, loss -> display.step(1, loss));
    }
    if (curve != null) {
      curve.epoch(1, result.loss(), 0);
      curve.write();
    }
    String written = TextDemo.write(result, prompt, sample);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (json) {
      out.println(
          JsonNodeFactory.instance
              .objectNode()
              .put("loss", result.loss())
              .put("steps", steps)
              .put("seconds", Math.round(seconds * 1000) / 1000.0)
              .put("workers", names.size())
              .put("parallel", way.toString())
              .put("sample", written));
    } else {
      out.printf(
          Locale.ROOT,
          "%d workers (%s), %d steps, %.1f s, loss %.3f%n%n%s%n",
          names.size(),
          way,
          steps,
          seconds,
          result.loss(),
          written);
    }
    out.flush();
    return Main.OK;
  }
}
