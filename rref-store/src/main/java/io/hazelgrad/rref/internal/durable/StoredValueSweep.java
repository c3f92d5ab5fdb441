package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.object.StoredValues;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import io.hazelgrad.rref.internal.registry.RegistryQuery;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes stored values of objects that have ended, where the owner did not: it died, or a write
 * came late. It looks at the values on this member, which also keeps their entries.
 *
 * <p>A value may be stored before its entry is durable or before a lost entry is restored. A value
 * without an entry is therefore removed only after a period of reconciliation. Threads: one at a
 * time, that of the reconciler's round.
 */
public final class StoredValueSweep {
  private static final Logger LOG = LoggerFactory.getLogger(StoredValueSweep.class);

  private final GridContext context;
  private final RegistryMap registry;
  private final StoredValues values;

  /** The time at which each value without an entry was first seen. */
  private final Map<RRefId, Long> strays = new HashMap<>();

  public StoredValueSweep(GridContext context, RegistryMap registry, StoredValues values) {
    this.context = context;
    this.registry = registry;
    this.values = values;
  }

  public void run() {
    Set<RRefId> suspicious = new HashSet<>(values.localKeys());
    if (!suspicious.isEmpty()) {
      suspicious.removeAll(registry.localKeys(RegistryQuery.durable()));
    }
    strays.keySet().retainAll(suspicious);
    for (RRefId id : suspicious) {
      if (isLeft(id, registry.entry(id).join())) {
        LOG.info("the stored value of {} has no object any more and is removed", id);
        var unused = values.remove(id, Integer.MAX_VALUE);
      }
    }
  }

  private boolean isLeft(RRefId id, Entry entry) {
    return switch (entry.state()) {
      case GONE, LOST, FAILED, TIMED_OUT -> true;
      case READY -> entry.epoch() == Entry.NOT_DURABLE;
      case CREATING, ORPHANED -> false;
      case ABSENT, EXPECTED -> {
        long now = System.nanoTime();
        long since = strays.computeIfAbsent(id, key -> now);
        yield now - since > context.reconcileEvery().toNanos();
      }
    };
  }
}
