package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Coordinator of the agents, in the test's JVM: takes their reports and answers with the phase of
 * the test. Threads: safe.
 */
@RemoteFunctions
final class Coordinator {
  /** Phase of the test. */
  @RemoteValue
  enum Phase {
    WORK,
    /** Agents stop, and check that every handle leads to its object. */
    CHECK,
    /** Agents release all handles. */
    RELEASE
  }

  private record Report(ResultCounts counts, Phase over) {}

  /** After this time both sides know whether one of them counts as lost. */
  private static final Duration VERDICT = Duration.ofSeconds(30);

  private static final long WATCH_NANOS = 1_000_000_000;

  private static volatile @Nullable Coordinator current;

  private final Grid grid;
  private final Map<String, Report> reports = new ConcurrentHashMap<>();
  private volatile Phase phase = Phase.WORK;
  private final Map<String, Long> losses = new HashMap<>();
  private final Set<String> wrong = new TreeSet<>();

  private Coordinator(Grid grid) {
    this.grid = grid;
  }

  static Coordinator open(Grid grid) {
    Coordinator coordinator = new Coordinator(grid);
    current = coordinator;
    return coordinator;
  }

  /** Takes an agent's report and the last phase that it has ended; returns the present phase. */
  static Phase report(String agent, ResultCounts counts, Phase over) {
    Coordinator coordinator = Objects.requireNonNull(current);
    coordinator.reports.put(agent, new Report(counts, over));
    return coordinator.phase;
  }

  void begin(Phase next) {
    phase = next;
  }

  /** Returns the agents among some that have not ended the present phase. */
  List<String> missing(Collection<String> agents) {
    return agents.stream()
        .filter(
            agent -> {
              Report report = reports.get(agent);
              return report == null || report.over().compareTo(phase) < 0;
            })
        .toList();
  }

  /** Starts a thread that checks whether a living worker reports a living worker as lost. */
  void watchLosses() {
    Thread thread = new Thread(this::watch, "chaos-coordinator");
    thread.setDaemon(true);
    thread.start();
  }

  private void watch() {
    while (!grid.isClosed()) {
      try {
        judgeLosses();
      } catch (RuntimeException e) {
        // The directory cannot be read at the moment.
      }
      LockSupport.parkNanos(WATCH_NANOS);
    }
  }

  /** Checks whether a living worker reported a living worker as lost. */
  synchronized void judgeLosses() {
    long now = System.nanoTime();
    reports
        .values()
        .forEach(report -> report.counts().losses().forEach(loss -> losses.putIfAbsent(loss, now)));
    Set<Long> living =
        grid.workers().stream().map(Worker::id).collect(Collectors.toUnmodifiableSet());
    losses.forEach(
        (loss, since) -> {
          int space = loss.indexOf(' ');
          long reporter = Long.parseLong(loss.substring(0, space));
          long owner = Long.parseLong(loss.substring(space + 1));
          if (now - since > VERDICT.toNanos()
              && living.contains(reporter)
              && living.contains(owner)) {
            wrong.add(
                "worker " + reporter + " was told that worker " + owner + " was lost, which lives");
          }
        });
  }

  synchronized ResultCounts counts() {
    ResultCounts all =
        new ResultCounts(Map.of(), Map.of(), Map.of(), List.of(), List.copyOf(wrong));
    for (Report report : new TreeMap<>(reports).values()) {
      all = all.plus(report.counts());
    }
    return all;
  }

  int agents() {
    return reports.size();
  }
}
