package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.cli.demo.Training;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Trains a network, split over worker JVMs, on handwritten digits. */
@Command(
    name = "digits",
    description = "Train a network, split over worker JVMs, on handwritten digits.",
    mixinStandardHelpOptions = true)
final class DigitsCommand implements Callable<Integer> {
  private static final int MAX_WORKERS = 16;
  private static final double NANOS = 1e9;
  private static final Duration CLOSED = Duration.ofSeconds(10);

  @Option(
      names = "--workers",
      defaultValue = "3",
      paramLabel = "N",
      description = "How many workers, 1 to " + MAX_WORKERS + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--epochs",
      defaultValue = "15",
      paramLabel = "N",
      description = "How often to see all training digits (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Option(names = "--json", description = "Print one JSON object in the last line, no text.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  DigitsCommand() {}

  @Override
  public Integer call() throws Exception {
    if (workers < 1 || workers > MAX_WORKERS) {
      throw bad("--workers must be between 1 and " + MAX_WORKERS + ": " + workers);
    }
    if (epochs < 1) {
      throw bad("--epochs must be at least 1: " + epochs);
    }
    long start = System.nanoTime();
    List<String> names = IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    try (Session session = Session.open("trainer", names, Main.isVerbose(spec.commandLine()))) {
      return session.run(() -> train(session, names, start));
    }
  }

  private ParameterException bad(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private int train(Session session, List<String> names, long start) {
    PrintWriter out = spec.commandLine().getOut();
    Training training = new Training();
    Training.Result result;
    try (TrainingProgress progress =
        new TrainingProgress(out, !json, training.stepsPerEpoch(), epochs)) {
      result = training.run(session.grid(), names, epochs, progress);
    }
    double seconds = (System.nanoTime() - start) / NANOS;
    Leftovers.Count left = Leftovers.await(session.grid(), CLOSED);
    out.println(json ? json(result, seconds, left) : text(result, seconds, left));
    out.flush();
    return Main.OK;
  }

  private String json(Training.Result result, double seconds, Leftovers.Count left) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("accuracy", result.accuracy());
    node.put("steps", result.steps());
    node.put("seconds", Math.round(seconds * 1000) / 1000.0);
    node.put("workers", workers);
    node.put("rrefs_left", left.rrefs());
    node.put("contexts_left", left.contexts());
    return node.toString();
  }

  private String text(Training.Result result, double seconds, Leftovers.Count left) {
    return String.format(
        Locale.ROOT,
        "%d %s, %d steps, %.1f s: %.1f %% of the held-out digits recognised%s",
        workers,
        workers == 1 ? "worker" : "workers",
        result.steps(),
        seconds,
        result.accuracy() * 100,
        left.isNone()
            ? ""
            : "; left behind: RRefs " + left.rrefs() + ", contexts " + left.contexts());
  }
}
