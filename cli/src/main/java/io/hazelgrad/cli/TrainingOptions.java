package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.cli.demo.Training;
import io.hazelgrad.cli.demo.TrainingProgress;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that all demos have, and the start, display and result of their training. */
final class TrainingOptions {
  private static final double NANOS = 1e9;
  private static final Duration CLOSED = Duration.ofSeconds(10);

  @Option(names = "--json", description = "Print one JSON object in the last line, no text.")
  private boolean json;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw the loss into a file whose name ends in .png or .svg.")
  private @Nullable Path plot;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  private final long start = System.nanoTime();

  /** Creates the options; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  TrainingOptions() {}

  /**
   * The size of a training.
   *
   * @param name the name of the demo
   * @param workers the number of workers to start
   * @param stepsPerEpoch the number of steps of an epoch
   * @param epochs the number of epochs
   */
  record Task(String name, int workers, int stepsPerEpoch, int epochs) {
    List<String> workerNames() {
      return IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    }
  }

  /** The training, which uses this JVM and the workers. */
  @FunctionalInterface
  interface Work {
    Outcome train(Grid grid, List<String> workers, TrainingProgress progress);
  }

  /**
   * The outcome of a training.
   *
   * @param result accuracy and steps, which every training has
   * @param figures further figures for the JSON object
   * @param remark the further figures in words, or the empty string
   */
  record Outcome(Training.Result result, Map<String, Double> figures, String remark) {
    static Outcome of(Training.Result result) {
      return new Outcome(result, Map.of(), "");
    }
  }

  /** Refuses a number that is out of range. */
  void require(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(),
          option
              + (most == Integer.MAX_VALUE
                  ? " must be at least " + least
                  : " must be between " + least + " and " + most)
              + ": "
              + value);
    }
  }

  /** Starts the workers, trains, and prints the result. Returns the exit code. */
  int train(Task task, Work work) throws Exception {
    LossCurve curve = plot == null ? null : new LossCurve(task.name(), plot);
    boolean verbose = Main.isVerbose(spec.commandLine());
    try (ClusterSession session = ClusterSession.open("trainer", task.workerNames(), verbose)) {
      return session.run(() -> train(session.grid(), task, work, curve));
    }
  }

  private int train(Grid grid, Task task, Work work, @Nullable LossCurve curve) {
    PrintWriter out = spec.commandLine().getOut();
    Outcome outcome;
    try (ProgressDisplay display =
        new ProgressDisplay(out, !json, task.name(), task.stepsPerEpoch(), task.epochs())) {
      TrainingProgress progress = curve == null ? display : display.and(curve);
      outcome = work.train(grid, task.workerNames(), progress);
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    GridLeftovers.Count left = GridLeftovers.await(grid, CLOSED);
    if (curve != null) {
      curve.write();
    }
    out.println(json ? json(task, outcome, seconds, left) : text(task, outcome, seconds, left));
    out.flush();
    return Main.OK;
  }

  private static String json(Task task, Outcome outcome, double seconds, GridLeftovers.Count left) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("accuracy", outcome.result().accuracy());
    node.put("steps", outcome.result().steps());
    node.put("seconds", Math.round(seconds * 1000) / 1000.0);
    node.put("workers", task.workers());
    outcome.figures().forEach(node::put);
    node.put("rrefs_left", left.rrefs());
    node.put("contexts_left", left.contexts());
    return node.toString();
  }

  private static String text(Task task, Outcome outcome, double seconds, GridLeftovers.Count left) {
    return String.format(
        Locale.ROOT,
        "%d %s, %d steps, %.1f s: %.1f %% of the held-out digits recognised%s%s",
        task.workers(),
        task.workers() == 1 ? "worker" : "workers",
        outcome.result().steps(),
        seconds,
        outcome.result().accuracy() * 100,
        outcome.remark(),
        left.isNone()
            ? ""
            : "; left behind: RRefs " + left.rrefs() + ", contexts " + left.contexts());
  }
}
