package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.jobs.Recovery;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.cli.demo.PictureFit;
import io.hazelgrad.cli.demo.WorkerKiller;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.Main;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The demo {@code elastic}: trains while workers are killed and come back. */
@Command(
    name = "elastic",
    description = "Train on worker JVMs while they are killed one after the other and come back.",
    mixinStandardHelpOptions = true)
final class ElasticCommand implements Callable<Integer> {
  private static final int LEAST_WORKERS = 3;
  private static final int MAX_WORKERS = 16;
  private static final int BATCH = 32;
  private static final Duration LIMIT = Duration.ofHours(12);

  @Option(
      names = "--workers",
      defaultValue = "4",
      paramLabel = "N",
      description =
          "The number of workers, "
              + LEAST_WORKERS
              + " to "
              + MAX_WORKERS
              + " (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--epochs",
      defaultValue = "60",
      paramLabel = "N",
      description = "The number of epochs (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Option(
      names = "--kill-every",
      defaultValue = "10",
      paramLabel = "S",
      description = "The seconds between two kills (default: ${DEFAULT-VALUE}).")
  private int killEvery;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The folder of MNIST's four files (default: the bundled digits).")
  private @Nullable Path data;

  @Option(names = "--json", description = "Print one JSON object in the last line, no text.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    OptionRange.require(spec, "--workers", workers, LEAST_WORKERS, MAX_WORKERS);
    OptionRange.require(spec, "--epochs", epochs, 1, Integer.MAX_VALUE);
    OptionRange.require(spec, "--kill-every", killEvery, 1, Integer.MAX_VALUE);
    PictureFit program = new PictureFit(data == null ? null : data.toAbsolutePath().toString());
    int stepsPerEpoch = (program.size() + BATCH - 1) / BATCH; // Reads the files before the start.
    List<String> names = IntStream.rangeClosed(1, workers).mapToObj(i -> "w" + i).toList();
    LocalCluster.Spec cluster =
        LocalCluster.Spec.of(names).withVerbose(Main.isVerbose(spec.commandLine()));
    try (ElasticSession session = ElasticSession.open(cluster)) {
      TrainingOptions options =
          TrainingOptions.builder()
              .batch(BATCH)
              .epochs(epochs)
              .deterministic(workers)
              .evaluateEvery(stepsPerEpoch)
              .build();
      TrainingJobs jobs = TrainingJobs.on(session.client());
      TrainingResult disturbed;
      int kills;
      try (WorkerKiller killer =
          new WorkerKiller(session.cluster(), Duration.ofSeconds(killEvery))) {
        disturbed = train(jobs, "elastic", program, options);
        kills = killer.kills();
      }
      print(disturbed, kills, train(jobs, "undisturbed", program, options));
    }
    return Main.OK;
  }

  @SuppressWarnings("try") // The progress is shown until its end.
  private TrainingResult train(
      TrainingJobs jobs, String name, PictureFit program, TrainingOptions options) {
    TrainingJob job = jobs.start(name, program, options);
    try (JobProgress progress = new JobProgress(job)) {
      return job.await(LIMIT);
    } finally {
      job.forget();
    }
  }

  private static double accuracy(TrainingResult result) {
    return Objects.requireNonNull(result.figures().get(PictureFit.ACCURACY));
  }

  private void print(TrainingResult disturbed, int kills, TrainingResult undisturbed) {
    PrintWriter out = spec.commandLine().getOut();
    long repeated = disturbed.recoveries().stream().mapToLong(Recovery::repeated).sum();
    boolean identical = disturbed.model().equals(undisturbed.model());
    if (json) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      node.put("accuracy", accuracy(disturbed)).put("undisturbed", accuracy(undisturbed));
      node.put("identical", identical).put("steps", disturbed.step()).put("workers", workers);
      node.put("kills", kills).put("repeated", repeated);
      node.set("recoveries", new ObjectMapper().valueToTree(disturbed.recoveries()));
      out.println(node);
    } else {
      disturbed.recoveries().forEach(each -> out.println(line(each)));
      out.printf(
          Locale.ROOT,
          "%d steps on %d workers, %d killed, %d steps repeated:"
              + " %.1f %% of the held-out pictures recognised%n"
              + "undisturbed: %.1f %%, %s%n",
          disturbed.step(),
          workers,
          kills,
          repeated,
          accuracy(disturbed) * 100,
          accuracy(undisturbed) * 100,
          identical ? "the same parameters to the last bit" : "other parameters");
    }
    out.flush();
  }

  private static String line(Recovery each) {
    return String.format(
        Locale.ROOT,
        "step %d:%s%s; %d steps (%.1f s) repeated, %.1f s until the next step",
        each.step(),
        each.lost().isEmpty() ? "" : " lost " + String.join(", ", each.lost()),
        each.joined().isEmpty() ? "" : " joined " + String.join(", ", each.joined()),
        each.repeated(),
        each.repeatedSeconds(),
        each.seconds());
  }
}
