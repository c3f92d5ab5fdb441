package io.hazelgrad.autograd.internal.initiator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The aborted passes of this worker, and the participants that were not told of each abort yet. When
 * all were told or are lost, no worker has staged the pass, and its abort can be dropped.
 *
 * <p>Threads: safe.
 */
final class AbortNotices {
  private final Map<Long, Set<Long>> untold = new HashMap<>();

  /** Adds a pass, and the other workers that take part in it. */
  synchronized void add(long pass, Collection<Long> workers) {
    untold.put(pass, new HashSet<>(workers));
  }

  /** Marks these workers as told of these passes. */
  synchronized void told(Set<Long> passes, Set<Long> workers) {
    untold.forEach(
        (pass, waiting) -> {
          if (passes.contains(pass)) {
            waiting.removeAll(workers);
          }
        });
  }

  /** Removes all workers except these; the others are lost. */
  synchronized void retain(Set<Long> living) {
    untold.values().forEach(workers -> workers.retainAll(living));
  }

  /** Returns the workers that were not told of all passes. */
  synchronized Set<Long> workers() {
    Set<Long> all = new HashSet<>();
    untold.values().forEach(all::addAll);
    return all;
  }

  /** Removes and returns the passes below the floor of which no worker is left to be told. */
  synchronized List<Long> settled(long floor) {
    List<Long> settled = new ArrayList<>();
    untold.forEach(
        (pass, workers) -> {
          if (workers.isEmpty() && pass < floor) {
            settled.add(pass);
          }
        });
    settled.forEach(untold::remove);
    return settled;
  }

  /** Returns whether there is no pass. */
  synchronized boolean isEmpty() {
    return untold.isEmpty();
  }

  /** Returns all passes. */
  synchronized Set<Long> passes() {
    return Set.copyOf(untold.keySet());
  }
}
