package io.hazelgrad.autograd.internal.initiator;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The aborted passes of this worker, and the participants that were not told of each abort yet.
 * When all were told or are lost, no worker has staged the pass, and its abort can be dropped.
 * Threads: safe.
 */
final class AbortNotices {
  private final Map<Long, Set<Long>> untold = new HashMap<>();

  /** Adds a pass, and the other workers that take part in it. */
  synchronized void add(long pass, Collection<Long> workers) {
    untold.put(pass, new HashSet<>(workers));
  }

  /** Marks these workers as told of these passes. */
  synchronized void told(Set<Long> passes, Set<Long> workers) {
    passes.forEach(pass -> untold.getOrDefault(pass, new HashSet<>()).removeAll(workers));
  }

  /** Removes all workers except these; the others are lost. */
  synchronized void retain(Set<Long> living) {
    untold.values().forEach(workers -> workers.retainAll(living));
  }

  synchronized Set<Long> workers() {
    return untold.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
  }

  /** Removes and returns the passes below the floor of which no worker is left to be told. */
  synchronized List<Long> settled(long floor) {
    List<Long> settled =
        untold.keySet().stream()
            .filter(pass -> pass < floor && untold.getOrDefault(pass, Set.of()).isEmpty())
            .toList();
    settled.forEach(untold::remove);
    return settled;
  }

  synchronized boolean isEmpty() {
    return untold.isEmpty();
  }

  synchronized Set<Long> passes() {
    return Set.copyOf(untold.keySet());
  }
}
