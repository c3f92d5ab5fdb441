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
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the forks that the registry lists for this holder with the handles in its table.
 *
 * <ul>
 *   <li>A fork without a handle, for example of a lost reply, is released. A round may also see a
 *       fork just after its handle was released or just before its handle is made. A fork is
 *       therefore released only if it had no handle in two rounds. Expected forks are left alone.
 *   <li>A handle whose fork the registry does not know is restored. This happens after the death of
 *       a member whose backup was behind: Hazelcast confirms a write after some seconds even if a
 *       backup is silent.
 * </ul>
 *
 * <p>A round searches the whole registry, on all members. A client gets forks only by its own
 * calls. While it makes none, its rounds read only the entries of its handles, and it searches
 * after 1, 2, 4 and more of them, at most {@value #LONGEST_REST}: the reply to a call that timed
 * out may come late and get lost.
 *
 * <p>Threads: one round at a time.
 */
public final class ForkReconciliation {
  private static final Logger LOG = LoggerFactory.getLogger(ForkReconciliation.class);

  /** A younger handle may not have reached the registry yet. */
  private static final long NEW_MILLIS = 1000;

  /** The most rounds without a search between two searches of an idle client. */
  private static final int LONGEST_REST = 30;

  private final GridContext context;
  private final RegistryMap registry;
  private final HandleTable handles;

  /** Tells of a fork without a handle that it may come in a reply, or keeps a restored entry. */
  private final Predicate<ForkId> expected;

  /** The time at which each fork without a handle was first seen. */
  private final Map<ForkId, Long> since = new HashMap<>();

  /** The number of calls so far that could bring forks, or -1 if forks may come otherwise now. */
  private final LongSupplier calls;

  /** The number of calls at the last search, if that found no fork without a handle; else -1. */
  private long searchedAt = -1;

  /** The rounds without a search before the next search of an idle client. */
  private int rest;

  /** The rounds without a search since the last one. */
  private int rested;

  private int round;

  /**
   * Creates the comparison.
   *
   * @param calls returns the number of calls so far that could bring forks, or -1 if forks may come
   *     otherwise now
   */
  public ForkReconciliation(
      GridContext context,
      RegistryMap registry,
      HandleTable handles,
      Predicate<ForkId> expected,
      LongSupplier calls) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.expected = expected;
    this.calls = calls;
  }

  public void run() {
    round++;
    long now = calls.getAsLong();
    boolean isIdle = now >= 0 && now == searchedAt;
    if (isIdle && rested < rest) {
      rested++;
      compare(registry.entries(handles.ids()));
    } else {
      rest = isIdle ? Math.min(2 * rest, LONGEST_REST) : 1;
      rested = 0;
      boolean complete = compare(registry.entries(RegistryQuery.heldBy(context.self().id())));
      searchedAt = complete ? now : -1;
    }
    handles.all().stream().filter(this::isMissing).forEach(this::restore);
  }

  /** Compares entries with the handles; returns whether each fork of this holder has a handle. */
  private boolean compare(Set<Map.Entry<RRefId, Entry>> entries) {
    long self = context.self().id();
    Set<ForkId> seen = new HashSet<>();
    for (Map.Entry<RRefId, Entry> stored : entries) {
      Entry entry = stored.getValue();
      for (ForkId fork : entry.forks().heldBy(self)) {
        RRefHandle handle = handles.find(fork);
        if (handle != null) {
          handle.lastSeen = round;
        } else if (!expected.test(fork)) {
          seen.add(fork);
          long first = since.computeIfAbsent(fork, key -> System.nanoTime());
          if (System.nanoTime() - first > context.reconcileEvery().toNanos() / 2) {
            LOG.info("{} of {} has no handle here and is released", fork, stored.getKey());
            var unused =
                handles.release(stored.getKey(), context.directory().byId(entry.owner()), fork);
          }
        }
      }
    }
    since.keySet().retainAll(seen);
    return seen.isEmpty();
  }

  private boolean isMissing(RRefHandle handle) {
    return handle.lastSeen != round
        && handle.ageMillis() > NEW_MILLIS
        && handle.isEntered()
        && !handle.isClosed();
  }

  /** Reads the entry and restores the fork if it is missing. A lost entry is its owner's task. */
  private void restore(RRefHandle handle) {
    try {
      handle.pin(); // Delays the release of the fork.
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
                  LOG.info("the registry does not know {} any more; it is restored", handle);
                  return handles.restore(handle);
                })
            .whenComplete((nothing, failure) -> handle.unpin());
  }
}
