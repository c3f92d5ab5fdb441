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
import org.jspecify.annotations.Nullable;

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
  private final Runnable changed;

  /** Creates the counters; {@code changed} runs when a row has appeared or gone. */
  DestinationCounters(Runnable changed) {
    this.changed = changed;
  }

  CallCounter get(Worker to, MessageKind kind) {
    Map<MessageKind, CallCounter> counters = living.getOrDefault(to, lost);
    CallCounter known = counters.get(kind);
    if (known != null) {
      return known;
    }
    CallCounter made = counters.computeIfAbsent(kind, key -> new CallCounter());
    changed.run();
    return made;
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
      changed.run();
    }
  }

  private static void add(
      Map<MessageKind, CallCounter> counters, Map<MessageKind, CallCounter> sums) {
    counters.forEach((kind, it) -> sums.computeIfAbsent(kind, key -> new CallCounter()).addAll(it));
  }

  /** Returns the row of a name and kind, or null. */
  @Nullable CallMetrics snapshot(String name, String kind) {
    CallCounter sum = new CallCounter();
    boolean found = false;
    for (Map<MessageKind, CallCounter> counters : of(name)) {
      for (Map.Entry<MessageKind, CallCounter> each : counters.entrySet()) {
        if (each.getKey().name().equals(kind)) {
          sum.addAll(each.getValue());
          found = true;
        }
      }
    }
    return found ? sum.snapshot(name, kind) : null;
  }

  private List<Map<MessageKind, CallCounter>> of(String name) {
    return name.equals(Metrics.LOST)
        ? List.of(lost)
        : living.entrySet().stream()
            .filter(entry -> entry.getKey().name().equals(name))
            .map(Map.Entry::getValue)
            .toList();
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
