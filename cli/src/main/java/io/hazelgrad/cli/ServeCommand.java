package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.graph.Graphs;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.cli.demo.ServedCalls;
import io.hazelgrad.cli.demo.ServedDigits;
import io.hazelgrad.client.GridClient;
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
import picocli.CommandLine.Spec;

/** The demo {@code serve}: a trained model is exported, deployed and called by a thin client. */
@Command(
    name = "serve",
    description = {
      "Train a network on handwritten digits, export it to ONNX, deploy it on worker JVMs, and call it"
          + " from a thin client: its latency and accuracy."
    },
    mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
  private static final int MAX_WORKERS = 16;
  private static final int MAX_THREADS = 256;
  private static final int MAX_CALLS = 10_000_000;
  private static final String NAME = "digits";

  @Option(
      names = "--workers",
      defaultValue = "2",
      paramLabel = "N",
      description = "The number of workers, 1 to " + MAX_WORKERS + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--threads",
      defaultValue = "8",
      paramLabel = "N",
      description =
          "The threads of the client, 1 to " + MAX_THREADS + " (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--calls",
      defaultValue = "8000",
      paramLabel = "N",
      description = "The calls to measure, of one picture each (default: ${DEFAULT-VALUE}).")
  private int calls;

  @Option(
      names = "--epochs",
      defaultValue = "40",
      paramLabel = "N",
      description = "The number of epochs of the training (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Option(
      names = "--model",
      paramLabel = "FILE",
      description =
          "The file for the ONNX model, replacing an existing one (default: a file that is deleted).")
  private @Nullable Path file;

  @Option(names = "--json", description = "Print one JSON object in the last line, no text.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    OptionRange.require(spec, "--workers", workers, 1, MAX_WORKERS);
    OptionRange.require(spec, "--threads", threads, 1, MAX_THREADS);
    OptionRange.require(spec, "--calls", calls, 1, MAX_CALLS);
    OptionRange.require(spec, "--epochs", epochs, 1, Integer.MAX_VALUE);
    ServedDigits digits = new ServedDigits();
    digits.train(epochs);
    OnnxModel model = written(digits.export());
    List<String> names = IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    LocalCluster.Spec cluster =
        LocalCluster.Spec.of(names).withVerbose(Main.isVerbose(spec.commandLine()));
    try (ClusterSession session = ClusterSession.open("deployer", cluster)) {
      return session.run(
          () -> {
            int bytes = Graphs.of(session.grid()).deploy(NAME, model).bytes();
            try (GridClient client = GridClient.connect(LocalClients.config(session.grid()))) {
              print(ServedCalls.run(client.rpc(), NAME, digits, names, threads, calls), bytes);
            }
            return Main.OK;
          });
    }
  }

  /** Writes the model to its file and reads it from there, as another program would. */
  private OnnxModel written(OnnxModel model) throws IOException {
    Path target = file == null ? Files.createTempFile("digits", ".onnx") : file;
    try {
      model.write(target);
      return OnnxModel.read(target);
    } catch (IOException e) {
      throw new BadInputException("cannot write the model to " + target + ": " + e, e);
    } finally {
      if (file == null) {
        Files.deleteIfExists(target);
      }
    }
  }

  private void print(ServedCalls served, int bytes) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      node.put("accuracy", served.accuracy());
      node.put("calls", calls);
      node.put("threads", threads);
      node.put("workers", workers);
      node.put("model_bytes", bytes);
      node.put("p50_ms", served.millis(0.5));
      node.put("p99_ms", served.millis(0.99));
      node.put("calls_per_second", served.callsPerSecond());
      out.println(node);
    } else {
      out.printf(
          Locale.ROOT,
          "%d %s, %d threads of a client, %d calls of a model of %,d bytes: p50 %.2f ms, p99 %.2f ms, %.0f calls/s; %.1f %% of the held-out digits recognised%n",
          workers,
          workers == 1 ? "worker" : "workers",
          threads,
          calls,
          bytes,
          served.millis(0.5),
          served.millis(0.99),
          served.callsPerSecond(),
          served.accuracy() * 100);
    }
    out.flush();
  }
}
