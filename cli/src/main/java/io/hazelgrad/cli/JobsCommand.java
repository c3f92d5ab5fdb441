package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.launcher.Main;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subcommand {@code jobs}: shows the training jobs of a grid. */
@Command(
    name = "jobs",
    description = "Show the training jobs of a grid.",
    mixinStandardHelpOptions = true)
final class JobsCommand implements Callable<Integer> {
  @Mixin private ClusterConnection connection;

  @Option(
      names = "--json",
      description = "Print JSON: one array, or with --watch one array per line.")
  private boolean json;

  @Option(names = "--watch", description = "Repeat every second until SIGINT or SIGTERM.")
  private boolean watch;

  @Override
  public Integer call() throws InterruptedException {
    if (watch) {
      new WatchLoop(connection).run(this::print);
    } else {
      try (GridClient client = connection.connect()) {
        print(client);
      }
    }
    return Main.OK;
  }

  private void print(GridClient client) {
    TrainingJobs jobs = TrainingJobs.on(client);
    List<TrainingStatus> all = new ArrayList<>();
    for (String name : jobs.names()) {
      TrainingJob job = jobs.find(name);
      if (job != null) { // It may have been forgotten meanwhile.
        all.add(job.status());
      }
    }
    if (json) {
      System.out.println(json(all));
    } else if (watch) {
      WatchLoop.show(table(all));
    } else {
      System.out.print(table(all));
    }
    System.out.flush();
  }

  private static ArrayNode json(List<TrainingStatus> all) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (TrainingStatus each : all) {
      ObjectNode node = array.addObject();
      node.put("name", each.name()).put("phase", each.phase().name());
      node.put("message", each.message()).put("step", each.step()).put("steps", each.steps());
      node.put("epoch", each.epoch()).put("loss", each.loss());
      node.put("rows_per_second", each.rowsPerSecond());
      each.trainers().forEach(node.putArray("trainers")::add);
      node.put("restarts", each.restarts()).put("repeated", each.repeated());
      node.set("figures", new ObjectMapper().valueToTree(each.figures()));
      node.set("milliseconds", new ObjectMapper().valueToTree(each.milliseconds()));
    }
    return array;
  }

  private static String table(List<TrainingStatus> all) {
    if (all.isEmpty()) {
      return "no training jobs%n".formatted();
    }
    StringBuilder text = new StringBuilder();
    for (TrainingStatus each : all) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s  %s%s%n  step %d%s, epoch %d, loss %.4f, %.0f rows/s%n"
                  + "  trainers %s; %d restarts, %d steps repeated%n",
              each.name(),
              each.phase(),
              each.message().isEmpty() ? "" : ": " + each.message(),
              each.step(),
              each.steps() == 0 ? "" : " of " + each.steps(),
              each.epoch(),
              each.loss(),
              each.rowsPerSecond(),
              String.join(" ", each.trainers()),
              each.restarts(),
              each.repeated()));
      text.append(line("milliseconds of a step", each.milliseconds()));
      text.append(line("evaluation", each.figures()));
    }
    return text.toString();
  }

  private static String line(String head, Map<String, Double> figures) {
    return figures.isEmpty()
        ? ""
        : new TreeMap<>(figures)
            .entrySet().stream()
                .map(each -> String.format(Locale.ROOT, "%s %.3f", each.getKey(), each.getValue()))
                .collect(Collectors.joining(", ", "  " + head + ": ", System.lineSeparator()));
  }
}
