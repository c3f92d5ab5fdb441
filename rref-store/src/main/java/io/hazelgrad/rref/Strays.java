package io.hazelgrad.rref;

import io.hazelgrad.grid.spi.GridContext;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The forks that the registry says are held here and that no handle stands for, such as those of
 * lost replies. A fork may be seen after its handle was released and before its handle was made; so
 * what has no handle must stay without one from one round to the next, and what is expected does
 * not count.
 *
 * <p>Threads: one round at a time.
 */
final class Strays {
  private static final Logger LOG = LoggerFactory.getLogger(Strays.class);

  private final GridContext context;
  private final RegistryMap registry;
  private final Handles handles;
  private final Predicate<ForkId> expected;

  /** When a fork without a handle was first seen. */
  private final Map<ForkId, Long> since = new HashMap<>();

  /**
   * Makes the search.
   *
   * @param expected whether a fork is right without a handle: it may still come in a reply, or
   *     keeps an entry that is made anew
   */
  Strays(GridContext context, RegistryMap registry, Handles handles, Predicate<ForkId> expected) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.expected = expected;
  }

  /** Does a round: releases what was without a handle in the last one already. */
  void release() {
    long self = context.self().id();
    Set<ForkId> seen = new HashSet<>();
    for (Map.Entry<RRefId, Entry> stored : registry.entries(RegistryQuery.heldBy(self))) {
      Entry entry = stored.getValue();
      for (ForkId fork : entry.forks().heldBy(self)) {
        if (handles.find(fork) == null && !expected.test(fork)) {
          seen.add(fork);
          long first = since.computeIfAbsent(fork, key -> System.nanoTime());
          if (System.nanoTime() - first > context.reconcileEvery().toNanos() / 2) {
            LOG.info("{} of {} has no handle here; released", fork, stored.getKey());
            var unused = handles.release(stored.getKey(), context.byId(entry.owner()), fork);
          }
        }
      }
    }
    since.keySet().retainAll(seen);
  }
}
