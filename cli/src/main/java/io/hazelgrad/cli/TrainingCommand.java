package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.cli.demo.Demo;
import io.hazelgrad.cli.demo.LossCurve;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A demo: the options that all have, and the start, display and result of its training. */
abstract class TrainingCommand implements Callable<Integer> {
  @Option(
      names = "--epochs",
      paramLabel = "N",
      description = "The number of epochs (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Option(names = "--json", description = "Print one JSON object in the last line, no text.")
  private boolean json;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw the loss into a file whose name ends in .png or .svg.")
  private @Nullable Path plot;

  @Spec private CommandSpec spec;

  private final long start = System.nanoTime();

  TrainingCommand(int defaultEpochs) {
    epochs = defaultEpochs;
  }

  final void require(String option, int value, int least, int most) {
    OptionRange.require(spec, option, value, least, most);
  }

  /** Reads the data of a demo, starts the workers, trains, and prints the result. */
  final int run(int workers, boolean fromClient, Supplier<Demo> demo) throws Exception {
    require("--epochs", epochs, 1, Integer.MAX_VALUE);
    Demo training = demo.get();
    LossCurve curve = plot == null ? null : new LossCurve(spec.name(), plot);
    List<String> names = IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    LocalCluster.Spec cluster =
        LocalCluster.Spec.of(names).withVerbose(Main.isVerbose(spec.commandLine()));
    try (ClusterSession session = ClusterSession.open("trainer", cluster)) {
      return session.run(() -> train(session.grid(), names, fromClient, training, curve));
    }
  }

  private int train(
      Grid grid, List<String> names, boolean fromClient, Demo demo, @Nullable LossCurve curve) {
    PrintWriter out = spec.commandLine().getOut();
    long steps = (long) epochs * demo.stepsPerEpoch();
    Demo.Result result;
    try (ProgressDisplay display =
            new ProgressDisplay(out, !json, spec.name(), steps, epochs, curve);
        GridClient client = fromClient ? GridClient.connect(LocalClients.config(grid)) : null) {
      result = demo.run(client == null ? grid : client, names, epochs, display);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    GridLeftovers left = GridLeftovers.await(grid);
    if (curve != null) {
      curve.write();
    }
    int workers = names.size();
    if (json) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      node.put("accuracy", result.accuracy());
      node.put("steps", steps);
      node.put("seconds", Math.round(seconds * 1000) / 1000.0);
      node.put("workers", workers);
      result.figures().forEach(node::put);
      node.put("rrefs_left", left.rrefs());
      node.put("contexts_left", left.contexts());
      out.println(node);
    } else {
      out.printf(
          Locale.ROOT,
          "%d %s, %d steps, %.1f s: %.1f %% of the held-out digits recognised%s%s%n",
          workers,
          workers == 1 ? "worker" : "workers",
          steps,
          seconds,
          result.accuracy() * 100,
          result.remark(),
          left.isNone() ? "" : "; " + left);
    }
    out.flush();
    return Main.OK;
  }
}
