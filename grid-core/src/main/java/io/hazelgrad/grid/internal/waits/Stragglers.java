package io.hazelgrad.grid.internal.waits;

import io.hazelgrad.grid.waits.Diagnosis.WorkerSteps;
import io.hazelgrad.grid.waits.Finding;
import io.hazelgrad.grid.waits.TrainingSteps;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Finds the worker for which the others wait in the steps of a training. */
final class Stragglers {
  /** The least part of a step that the others wait. */
  private static final double LEAST_WAITING = 0.2;

  /** The least ratio of a straggler's own time to that of the next worker. */
  private static final double LEAST_RATIO = 1.25;

  private Stragglers() {}

  static List<Finding> of(List<WorkerSteps> steps) {
    Map<String, List<WorkerSteps>> byTraining =
        steps.stream()
            .collect(
                Collectors.groupingBy(
                    it -> it.times().training(), TreeMap::new, Collectors.toList()));
    List<Finding> findings = new ArrayList<>();
    byTraining.forEach(
        (training, workers) -> {
          if (workers.size() > 1) {
            compare(training, workers, findings);
          }
        });
    return findings;
  }

  private static void compare(String training, List<WorkerSteps> workers, List<Finding> findings) {
    List<WorkerSteps> slowest = new ArrayList<>(workers);
    slowest.sort(Comparator.comparingDouble(it -> -it.times().ownMilliseconds()));
    WorkerSteps first = slowest.get(0);
    List<WorkerSteps> others = slowest.subList(1, slowest.size());
    double own = first.times().ownMilliseconds();
    double next = others.get(0).times().ownMilliseconds();
    double waiting =
        others.stream()
            .mapToDouble(it -> it.times().milliseconds(TrainingSteps.WAITING))
            .average()
            .orElse(0);
    if (own > next * LEAST_RATIO && waiting > LEAST_WAITING * (own + waiting)) {
      String line =
          "training %s: %s needs %s of its own for a step, the next one %s; the others wait %s"
              .formatted(training, first.worker(), millis(own), millis(next), millis(waiting));
      findings.add(
          new Finding(
              Finding.Kind.STRAGGLER, List.of(first.worker()), 0, List.of(line, most(first))));
    }
  }

  /** Returns a sentence about the longest part of its steps. */
  private static String most(WorkerSteps worker) {
    Map.Entry<String, Double> most =
        worker.times().milliseconds().entrySet().stream()
            .filter(it -> !it.getKey().equals(TrainingSteps.WAITING))
            .max(Map.Entry.comparingByValue())
            .orElseThrow();
    return "the longest part of its steps is %s, %s"
        .formatted(most.getKey(), millis(most.getValue()));
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, "%.1f ms", millis);
  }
}
