package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The counters of the calls to each destination. The counters of workers that have left are added
 * up under one name, so the number of counters stays in proportion to the living workers.
 *
 * <p>Race: a call may end after its callee has left. It then counts for {@link Metrics#LOST}: only
 * {@link #addLiving} creates counters for a worker.
 *
 * <p>Threads: safe.
 */
final class DestinationCounters {
  private final Map<Worker, Map<MessageKind, CallCounter>> living = new ConcurrentHashMap<>();
  private final Map<MessageKind, CallCounter> lost = new ConcurrentHashMap<>();

  CallCounter get(Worker to, MessageKind kind) {
    Map<MessageKind, CallCounter> counters = living.getOrDefault(to, lost);
    CallCounter known = counters.get(kind);
    return known != null ? known : counters.computeIfAbsent(kind, key -> new CallCounter());
  }

  void addLiving(Worker worker) {
    if (!living.containsKey(worker)) {
      living.putIfAbsent(worker, new ConcurrentHashMap<>());
    }
  }

  /** Adds the counters of a worker that has left to those of {@link Metrics#LOST}. */
  void removeLost(Worker worker) {
    Map<MessageKind, CallCounter> gone = living.remove(worker);
    if (gone != null) {
      add(gone, lost);
    }
  }

  private static void add(
      Map<MessageKind, CallCounter> counters, Map<MessageKind, CallCounter> sums) {
    counters.forEach((kind, it) -> sums.computeIfAbsent(kind, key -> new CallCounter()).addAll(it));
  }

  /** Returns one row for each name and kind, also while two incarnations of a name are known. */
  List<CallMetrics> snapshot() {
    Map<String, Map<MessageKind, CallCounter>> byName = new HashMap<>();
    living.forEach(
        (worker, counters) ->
            add(counters, byName.computeIfAbsent(worker.name(), name -> new HashMap<>())));
    byName.put(Metrics.LOST, lost);
    List<CallMetrics> all = new ArrayList<>();
    byName.forEach(
        (name, counters) ->
            counters.forEach((kind, counter) -> all.add(counter.snapshot(name, kind.name()))));
    return all;
  }
}
