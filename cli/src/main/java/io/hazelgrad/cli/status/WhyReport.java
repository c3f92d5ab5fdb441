package io.hazelgrad.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.hazelgrad.grid.waits.Diagnosis;
import io.hazelgrad.grid.waits.Diagnosis.WorkerSteps;
import io.hazelgrad.grid.waits.Finding;
import io.hazelgrad.grid.waits.TrainingSteps;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The reasons why a grid is slow or stuck, as text and JSON. */
public record WhyReport(Diagnosis diagnosis, Duration atLeast) {
  private static final ObjectMapper JSON =
      new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
  private static final double MILLIS = 1e3;

  /** Returns the diagnosis as JSON. */
  public JsonNode json() {
    return JSON.valueToTree(diagnosis);
  }

  /** Returns a paragraph for each finding, and a table for each training. */
  public String text() {
    StringBuilder text = new StringBuilder();
    if (diagnosis.findings().isEmpty()) {
      text.append(
          String.format(
              Locale.ROOT,
              "nothing has waited for %.1f s; %d workers answered%n",
              atLeast.toMillis() / MILLIS,
              diagnosis.workers().size()));
    }
    for (Finding each : diagnosis.findings()) {
      text.append(each.kind());
      if (each.millis() > 0) {
        text.append(String.format(Locale.ROOT, " for %.1f s", each.millis() / MILLIS));
      }
      text.append(System.lineSeparator());
      each.lines().forEach(line -> text.append(String.format("  %s%n", line)));
    }
    String training = "";
    List<String> parts = List.of();
    for (WorkerSteps each : diagnosis.steps()) {
      TrainingSteps steps = each.times();
      if (!steps.training().equals(training)) {
        training = steps.training();
        parts = measured(training, diagnosis);
        text.append(head(training, parts));
      }
      text.append(row(each, parts));
    }
    return text.toString();
  }

  /** Returns the parts that some worker of a training measures. */
  private static List<String> measured(String training, Diagnosis diagnosis) {
    return TrainingSteps.PARTS.stream()
        .filter(
            part ->
                diagnosis.steps().stream()
                    .map(WorkerSteps::times)
                    .filter(it -> it.training().equals(training))
                    .anyMatch(it -> it.milliseconds().containsKey(part)))
        .toList();
  }

  private static String head(String training, List<String> parts) {
    StringBuilder head =
        new StringBuilder(
            String.format("training %s, milliseconds of a step%n", training)
                + String.format("  %-16s %9s %10s", "WORKER", "STEP", "LAST"));
    parts.forEach(part -> head.append(String.format(" %9s", part.toUpperCase(Locale.ROOT))));
    return head.append(System.lineSeparator()).toString();
  }

  private static String row(WorkerSteps worker, List<String> parts) {
    TrainingSteps steps = worker.times();
    StringBuilder row =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "  %-16s %9d %8.1f s",
                worker.worker(),
                steps.step(),
                steps.millisSinceStep() / MILLIS));
    parts.forEach(
        part -> row.append(String.format(Locale.ROOT, " %9.2f", steps.milliseconds(part))));
    return row.append(System.lineSeparator()).toString();
  }
}
