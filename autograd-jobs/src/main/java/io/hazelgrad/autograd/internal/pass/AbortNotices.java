package io.hazelgrad.autograd.internal.pass;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The aborted passes of this worker, and which of their participants have not heard of it yet. When
 * all have heard it or are lost, nobody has anything of the pass, and it need not be remembered.
 *
 * <p>Threads: safe.
 */
final class AbortNotices {
  private final Map<Long, Set<Long>> unheard = new HashMap<>();

  /** Adds a pass, and the other workers that have part in it. */
  synchronized void add(long pass, Collection<Long> workers) {
    unheard.put(pass, new HashSet<>(workers));
  }

  /** These workers have heard of these passes. */
  synchronized void heard(Set<Long> passes, Set<Long> workers) {
    unheard.forEach(
        (pass, waited) -> {
          if (passes.contains(pass)) {
            waited.removeAll(workers);
          }
        });
  }

  /** All workers but these are lost. */
  synchronized void retain(Set<Long> living) {
    unheard.values().forEach(waited -> waited.retainAll(living));
  }

  /** Returns the workers that have not heard of all. */
  synchronized Set<Long> waitedFor() {
    Set<Long> all = new HashSet<>();
    unheard.values().forEach(all::addAll);
    return all;
  }

  /** Returns the passes of which nobody has to hear any more, and forgets those below a number. */
  synchronized List<Long> settled(long floor) {
    List<Long> settled = new ArrayList<>();
    unheard.forEach(
        (pass, waited) -> {
          if (waited.isEmpty() && pass < floor) {
            settled.add(pass);
          }
        });
    settled.forEach(unheard::remove);
    return settled;
  }

  /** Returns whether there is none. */
  synchronized boolean isEmpty() {
    return unheard.isEmpty();
  }

  /** Returns the passes, those of which all have heard included. */
  synchronized Set<Long> passes() {
    return Set.copyOf(unheard.keySet());
  }
}
