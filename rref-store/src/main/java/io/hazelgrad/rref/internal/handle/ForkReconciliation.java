package io.hazelgrad.rref.internal.handle;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.ForkId;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryQuery;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the forks that the registry says are held here with the handles that are.
 *
 * <ul>
 *   <li>A fork that no handle stands for, such as that of a lost reply, is released. It may be seen
 *       after its handle was released and before its handle was made; so what has no handle must
 *       stay without one from one round to the next, and what is expected does not count.
 *   <li>A handle whose fork the registry does not know is entered again. That happens where a
 *       member died whose backup was behind: Hazelcast answers after some seconds also where a
 *       backup is silent.
 * </ul>
 *
 * <p>Threads: one round at a time.
 */
public final class ForkReconciliation {
  private static final Logger LOG = LoggerFactory.getLogger(ForkReconciliation.class);

  /** Whose handle is younger may be about to be entered. */
  private static final long NEW_MILLIS = 1000;

  private final GridContext context;
  private final RegistryMap registry;
  private final HandleTable handles;
  private final ForkReassertion held;
  private final Predicate<ForkId> expected;

  /** When a fork without a handle was first seen. */
  private final Map<ForkId, Long> since = new HashMap<>();

  private int round;

  /**
   * Makes the check.
   *
   * @param expected whether a fork is right without a handle: it may still come in a reply, or
   *     keeps an entry that is made anew
   */
  public ForkReconciliation(
      GridContext context,
      RegistryMap registry,
      HandleTable handles,
      ForkReassertion held,
      Predicate<ForkId> expected) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.held = held;
    this.expected = expected;
  }

  /** Does a round: releases what was without a handle in the last one already. */
  public void run() {
    round++;
    long self = context.self().id();
    Set<ForkId> seen = new HashSet<>();
    for (Map.Entry<RRefId, Entry> stored : registry.entries(RegistryQuery.heldBy(self))) {
      Entry entry = stored.getValue();
      for (ForkId fork : entry.forks().heldBy(self)) {
        RRefHandle handle = handles.find(fork);
        if (handle != null) {
          handle.seenIn(round);
        } else if (!expected.test(fork)) {
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
    handles.all().stream().filter(this::isMissing).forEach(this::enterAgain);
  }

  private boolean isMissing(RRefHandle handle) {
    return !handle.wasSeenIn(round)
        && handle.ageMillis() > NEW_MILLIS
        && handle.isEntered()
        && !handle.isClosed();
  }

  /** Looks once more: it may have been entered since. What is lost altogether, its owner enters. */
  private void enterAgain(RRefHandle handle) {
    try {
      handle.pin(); // So that its release comes later.
    } catch (GridException closed) {
      return;
    }
    var unused =
        registry
            .entry(handle.id())
            .thenCompose(
                entry -> {
                  if (!entry.state().isLive() || entry.forks().contains(handle.fork())) {
                    return HandleTable.DONE;
                  }
                  LOG.info("{} was not known to the registry any more; entered again", handle);
                  return held.restore(handle);
                })
            .whenComplete((nothing, failure) -> handle.unpin());
  }
}
