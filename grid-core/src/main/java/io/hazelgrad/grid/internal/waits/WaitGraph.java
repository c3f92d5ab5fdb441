package io.hazelgrad.grid.internal.waits;

import io.hazelgrad.grid.waits.Need;
import io.hazelgrad.grid.waits.Wait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waits of all workers as a graph. A need that no report has is not known, and is taken for one
 * that goes on: so a deadlock is told only if the reports prove it.
 */
final class WaitGraph {
  private final Map<Need, Wait> waits;
  private final Set<Need> stuck;

  WaitGraph(Map<Need, Wait> waits) {
    this.waits = new LinkedHashMap<>(waits);
    this.stuck = stuck(this.waits);
  }

  /** Returns the id of the wait in a round of a meeting. */
  static String roundId(String meeting) {
    return "round of " + meeting;
  }

  @Nullable Wait wait(Need at) {
    return waits.get(at);
  }

  /** Returns whether something can never go on, as far as is known. */
  boolean isStuck(Need at) {
    return stuck.contains(at);
  }

  /** Removes, until nothing changes, all that goes on when those that go on have done so. */
  private static Set<Need> stuck(Map<Need, Wait> waits) {
    Set<Need> left = new LinkedHashSet<>(waits.keySet());
    boolean isChanged = true;
    while (isChanged) {
      isChanged = left.removeIf(each -> goesOn(waits.get(each), left));
    }
    return left;
  }

  private static boolean goesOn(@Nullable Wait wait, Set<Need> stuck) {
    if (wait == null || wait.needs().isEmpty()) {
      return true;
    }
    return wait.any() ? !stuck.containsAll(wait.needs()) : disjoint(wait.needs(), stuck);
  }

  private static boolean disjoint(Collection<Need> needs, Set<Need> stuck) {
    return needs.stream().noneMatch(stuck::contains);
  }

  /** Returns the cycles of waits, each with at least one wait that no other cycle has. */
  List<List<Need>> cycles() {
    List<List<Need>> cycles = new ArrayList<>();
    Set<Need> seen = new HashSet<>();
    for (Need start : stuck) {
      List<Need> way = new ArrayList<>();
      Need at = start;
      while (at != null && seen.add(at)) {
        way.add(at);
        at = stuckNeed(at);
      }
      int begin = way.indexOf(at);
      if (begin >= 0) { // Otherwise it waits for a cycle that was found before.
        cycles.add(List.copyOf(way.subList(begin, way.size())));
      }
    }
    return cycles;
  }

  /** Returns a need that never goes on: each wait that is stuck has one. */
  private @Nullable Need stuckNeed(Need at) {
    Wait wait = waits.get(at);
    return wait == null
        ? null
        : wait.needs().stream().filter(stuck::contains).findFirst().orElse(null);
  }

  /** Returns the waits for which no other one waits. */
  List<Need> roots() {
    Set<Need> needed = new HashSet<>();
    waits.values().forEach(each -> needed.addAll(each.needs()));
    return waits.keySet().stream().filter(each -> !needed.contains(each)).toList();
  }

  /** Returns a wait and what it waits for, directly or not, nearest first. */
  List<Need> chain(Need start) {
    Set<Need> found = new LinkedHashSet<>();
    Deque<Need> open = new ArrayDeque<>(List.of(start));
    for (Need at = open.poll(); at != null; at = open.poll()) {
      Wait wait = waits.get(at);
      if (wait != null && found.add(at)) {
        open.addAll(
            wait.any() && !wait.needs().isEmpty() ? wait.needs().subList(0, 1) : wait.needs());
      }
    }
    return List.copyOf(found);
  }
}
