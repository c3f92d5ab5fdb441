package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRefId;
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
 * Removes what is stored of objects that are no more, where their owner did not: it died, or what
 * it stored came late. Looks at the values on this member; the entries lie beside them.
 *
 * <p>A value may be there before its entry is durable, and before an entry that was lost is made
 * anew. So one without an entry must be seen twice, a period of reconciliation apart.
 *
 * <p>Threads: one at a time, the reconciler's.
 */
public final class StoredValueSweep {
  private static final Logger LOG = LoggerFactory.getLogger(StoredValueSweep.class);

  private final GridContext context;
  private final RegistryMap registry;
  private final StoredValueMap values;

  /** When a value without an entry was first seen. */
  private final Map<RRefId, Long> strays = new HashMap<>();

  public StoredValueSweep(GridContext context, RegistryMap registry, StoredValueMap values) {
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
        LOG.info("what was stored of {} is left over; removed", id);
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
