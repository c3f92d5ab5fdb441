package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.client.GridClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** The subcommand {@code jobs}: shows the training jobs of a grid. */
@Command(
    name = "jobs",
    description = "Show the training jobs of a grid.",
    mixinStandardHelpOptions = true)
final class JobsCommand extends ViewCommand {
  private static final ObjectMapper JSON =
      new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);

  @Override
  Source connect(ClusterConnection to) {
    return Source.of(to.connect(), this::view);
  }

  private View view(GridClient client) {
    TrainingJobs jobs = TrainingJobs.on(client);
    List<TrainingStatus> all = new ArrayList<>();
    for (String name : jobs.names()) {
      TrainingJob job = jobs.find(name);
      if (job != null) { // It may have been forgotten meanwhile.
        all.add(job.status());
      }
    }
    return new View(JSON.valueToTree(all), table(all));
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
