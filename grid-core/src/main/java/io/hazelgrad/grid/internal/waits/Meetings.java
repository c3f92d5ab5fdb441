package io.hazelgrad.grid.internal.waits;

import io.hazelgrad.grid.waits.Finding;
import io.hazelgrad.grid.waits.Meeting;
import io.hazelgrad.grid.waits.Need;
import io.hazelgrad.grid.waits.Wait;
import io.hazelgrad.grid.waits.WorkerReport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The collectives and barriers of all workers: which round each one is in, and who is missing
 * there.
 */
final class Meetings {
  private final long leastMillis;
  private final Set<String> silent;

  /** The place of each worker, by the id of the meeting and the name of the worker. */
  private final Map<String, Map<String, Meeting>> places = new TreeMap<>();

  Meetings(List<WorkerReport> reports, Set<String> silent, long leastMillis) {
    this.silent = silent;
    this.leastMillis = leastMillis;
    for (WorkerReport report : reports) {
      for (Meeting each : report.meetings()) {
        places.computeIfAbsent(each.id(), id -> new TreeMap<>()).put(report.worker(), each);
      }
    }
  }

  /** Returns the members that have not begun the round in which a worker is. */
  private List<String> missing(Meeting place) {
    Map<String, Meeting> others = places.getOrDefault(place.id(), Map.of());
    return place.members().stream()
        .filter(
            member -> {
              Meeting other = others.get(member);
              return other == null || other.begun() <= place.ended();
            })
        .toList();
  }

  private boolean isLong(Meeting place) {
    return place.isOpen() && place.millis() >= leastMillis;
  }

  /** Returns the waits in rounds. A member that is missing comes when its thread goes on. */
  Map<Need, Wait> waits() {
    Map<Need, Wait> waits = new LinkedHashMap<>();
    places.forEach(
        (id, members) ->
            members.forEach(
                (worker, place) -> {
                  if (isLong(place)) {
                    waits.put(new Need(worker, WaitGraph.roundId(id)), wait(place, members));
                  }
                }));
    return waits;
  }

  private Wait wait(Meeting place, Map<String, Meeting> members) {
    List<String> missing = missing(place);
    List<Need> needs = new ArrayList<>();
    for (String member : missing) {
      Meeting other = members.get(member);
      if (other != null && other.thread() != 0) {
        needs.add(new Need(member, WaitReporter.threadId(other.thread())));
      }
    }
    return new Wait(
        Wait.Kind.ROUND,
        WaitGraph.roundId(place.id()),
        clause(place),
        place.millis(),
        false,
        // If one that is missing cannot be followed, it may come.
        needs.size() == missing.size() ? needs : List.of());
  }

  private String clause(Meeting place) {
    return "waits in %s for %s".formatted(place.what(), Texts.list(missing(place)));
  }

  /** Returns the rounds that some members wait in and others have not reached. */
  List<Finding> absences() {
    List<Finding> findings = new ArrayList<>();
    for (Map<String, Meeting> members : places.values()) {
      Map<Long, Map<String, Meeting>> byRound = new TreeMap<>();
      members.forEach(
          (worker, place) -> {
            if (isLong(place)) {
              byRound.computeIfAbsent(place.ended(), round -> new TreeMap<>()).put(worker, place);
            }
          });
      byRound.values().forEach(waiting -> findings.add(absence(waiting)));
    }
    return findings;
  }

  /** Returns the rounds in which a worker waits. */
  private List<Meeting> rounds(String worker) {
    return places.values().stream()
        .map(members -> members.get(worker))
        .filter(place -> place != null && isLong(place))
        .toList();
  }

  /** Returns a sentence for each round in which a worker waits. */
  private List<String> elsewhere(String worker) {
    return rounds(worker).stream()
        .map(it -> "%s %s, since %s".formatted(worker, clause(it), Texts.seconds(it.millis())))
        .toList();
  }

  /** Returns whether a worker waits in rounds, directly or not, for one of some others. */
  private boolean reaches(String worker, Set<String> others) {
    Set<String> seen = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(worker));
    for (String at = open.poll(); at != null; at = open.poll()) {
      if (seen.add(at)) {
        rounds(at).forEach(place -> open.addAll(missing(place)));
      }
    }
    return !Collections.disjoint(seen, others);
  }

  private Finding absence(Map<String, Meeting> waiting) {
    Meeting place = waiting.values().iterator().next();
    long millis = waiting.values().stream().mapToLong(Meeting::millis).max().orElse(0);
    List<String> missing = missing(place);
    Map<String, String> why = new HashMap<>();
    missing.forEach(
        member ->
            why.put(member, silent.contains(member) ? "does not answer" : "has not reached it"));
    place.members().stream().filter(silent::contains).forEach(it -> why.put(it, "does not answer"));
    String who = Texts.list(waiting.keySet()) + (waiting.size() == 1 ? " waits" : " wait");
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s since %s for %s"
            .formatted(
                place.what(),
                who,
                Texts.seconds(millis),
                why.isEmpty()
                    ? "nobody: all have reached it"
                    : Texts.list(new TreeSet<>(why.keySet()))));
    new TreeMap<>(why).forEach((member, text) -> lines.add(member + " " + text));
    missing.forEach(member -> lines.addAll(elsewhere(member)));
    if (missing.stream().anyMatch(member -> reaches(member, waiting.keySet()))) {
      lines.add("they wait for each other: a deadlock, unless another thread comes");
    }
    return new Finding(
        Finding.Kind.ABSENT, List.copyOf(new TreeSet<>(why.keySet())), millis, lines);
  }
}
