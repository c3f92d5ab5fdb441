package io.hazelgrad.grid.internal.waits;

import io.hazelgrad.grid.waits.Diagnosis;
import io.hazelgrad.grid.waits.Diagnosis.WorkerSteps;
import io.hazelgrad.grid.waits.Finding;
import io.hazelgrad.grid.waits.Need;
import io.hazelgrad.grid.waits.Wait;
import io.hazelgrad.grid.waits.Wait.Kind;
import io.hazelgrad.grid.waits.WorkerReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Joins the reports of all workers. It knows no threads, time or Hazelcast. */
public final class Analysis {
  /** The most calls that are told; those that have lasted longest. */
  private static final int MOST_WAITS = 50;

  /** The most sentences about one call. */
  private static final int MOST_LINES = 12;

  private final List<WorkerReport> reports;
  private final Set<String> silent;
  private final Meetings meetings;
  private final WaitGraph graph;

  private Analysis(List<WorkerReport> reports, Set<String> silent, long leastMillis) {
    this.reports = reports;
    this.silent = silent;
    this.meetings = new Meetings(reports, silent, leastMillis);
    Map<Need, Wait> waits = new LinkedHashMap<>();
    for (WorkerReport report : reports) {
      report.waits().forEach(each -> waits.put(new Need(report.worker(), each.id()), each));
    }
    waits.putAll(meetings.waits());
    this.graph = new WaitGraph(waits);
  }

  /**
   * Returns the reasons why a grid is slow or stuck.
   *
   * @param reports the reports of the workers that answered
   * @param silent the names of the workers that did not
   * @param leastMillis how long a wait in a round has lasted that is told
   */
  public static Diagnosis of(List<WorkerReport> reports, Set<String> silent, long leastMillis) {
    return new Analysis(reports, silent, leastMillis).diagnosis();
  }

  private Diagnosis diagnosis() {
    List<WorkerSteps> steps =
        reports.stream()
            .flatMap(
                report -> report.steps().stream().map(it -> new WorkerSteps(report.worker(), it)))
            .sorted(
                Comparator.comparing((WorkerSteps it) -> it.times().training())
                    .thenComparing(WorkerSteps::worker))
            .toList();
    List<Finding> findings = new ArrayList<>(deadlocks());
    silent.stream().sorted().map(Analysis::silence).forEach(findings::add);
    findings.addAll(losses());
    findings.addAll(meetings.absences());
    findings.addAll(Stragglers.of(steps));
    findings.addAll(waits());
    return new Diagnosis(
        reports.stream().map(WorkerReport::worker).sorted().toList(),
        silent.stream().sorted().toList(),
        findings,
        steps);
  }

  private static Finding silence(String worker) {
    return new Finding(
        Finding.Kind.SILENT,
        List.of(worker),
        0,
        List.of(worker + " does not answer; it is stopped, overloaded or cut off"));
  }

  private List<Finding> losses() {
    Map<String, Long> lost = new TreeMap<>();
    reports.forEach(
        report -> report.lost().forEach((name, millis) -> lost.merge(name, millis, Math::max)));
    reports.forEach(report -> lost.remove(report.worker())); // It is back.
    lost.keySet().removeAll(silent);
    List<Finding> findings = new ArrayList<>();
    lost.forEach(
        (name, millis) ->
            findings.add(
                new Finding(
                    Finding.Kind.LOST,
                    List.of(name),
                    millis,
                    List.of("%s was lost %s ago".formatted(name, Texts.seconds(millis))))));
    return findings;
  }

  private List<Finding> deadlocks() {
    return graph.cycles().stream().map(this::deadlock).toList();
  }

  private Finding deadlock(List<Need> cycle) {
    Set<String> workers = new LinkedHashSet<>();
    cycle.forEach(at -> workers.add(at.worker()));
    List<String> lines = new ArrayList<>();
    lines.add("%s wait for each other and cannot go on".formatted(Texts.list(workers)));
    lines.addAll(lines(cycle));
    return new Finding(Finding.Kind.DEADLOCK, List.copyOf(workers), longest(cycle), lines);
  }

  /** Returns the calls for which no other call waits, with all that they wait for. */
  private List<Finding> waits() {
    Set<Need> told = new HashSet<>();
    graph.cycles().forEach(told::addAll);
    List<Finding> findings = new ArrayList<>();
    graph.roots().stream()
        .filter(at -> kind(at) == Kind.REQUEST || kind(at) == Kind.CALL)
        .filter(at -> !told.contains(at))
        .sorted(Comparator.comparingLong(at -> -millis(at)))
        .limit(MOST_WAITS)
        .forEach(at -> findings.add(wait(at)));
    return findings;
  }

  private Finding wait(Need root) {
    List<Need> chain = graph.chain(root);
    List<String> lines = new ArrayList<>(lines(chain));
    if (graph.isStuck(root)) {
      lines.add("that is a deadlock");
    }
    Set<String> causes = new LinkedHashSet<>();
    for (Need at : chain) {
      Wait wait = graph.wait(at);
      boolean isLast = wait != null && wait.needs().stream().allMatch(it -> graph.wait(it) == null);
      if (wait != null && isLast) {
        causes.add(wait.needs().isEmpty() ? at.worker() : wait.needs().get(0).worker());
      }
    }
    causes.stream().filter(silent::contains).forEach(it -> lines.add(it + " does not answer"));
    return new Finding(Finding.Kind.WAIT, List.copyOf(causes), millis(root), lines);
  }

  private Kind kind(Need at) {
    Wait wait = graph.wait(at);
    return wait == null ? Kind.THREAD : wait.kind();
  }

  private long millis(Need at) {
    Wait wait = graph.wait(at);
    return wait == null ? 0 : wait.millis();
  }

  private long longest(List<Need> all) {
    return all.stream().mapToLong(this::millis).max().orElse(0);
  }

  private List<String> lines(List<Need> all) {
    List<String> lines = new ArrayList<>();
    for (Need at : all) {
      Wait wait = graph.wait(at);
      if (wait != null && lines.size() < MOST_LINES) {
        lines.add(
            wait.millis() == 0
                ? "%s %s".formatted(at.worker(), wait.what())
                : "%s %s, since %s"
                    .formatted(at.worker(), wait.what(), Texts.seconds(wait.millis())));
      }
    }
    return lines;
  }
}
