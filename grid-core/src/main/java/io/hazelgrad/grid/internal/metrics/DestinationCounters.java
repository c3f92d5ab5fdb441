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
  /** The counters of one destination by kind. */
  private static final class Counters {
    final Map<MessageKind, CallCounter> byKind = new ConcurrentHashMap<>();

    CallCounter get(MessageKind kind) {
      CallCounter found = byKind.get(kind);
      return found != null ? found : byKind.computeIfAbsent(kind, key -> new CallCounter());
    }

    void addAll(Counters other) {
      other.byKind.forEach((kind, counter) -> get(kind).addAll(counter));
    }

    Counters plus(Counters other) {
      Counters sum = new Counters();
      sum.addAll(this);
      sum.addAll(other);
      return sum;
    }
  }

  private final Map<Worker, Counters> living = new ConcurrentHashMap<>();
  private final Counters lost = new Counters();

  /** Returns the counter of calls of one kind to a worker. */
  CallCounter get(Worker to, MessageKind kind) {
    Counters found = living.get(to);
    return (found == null ? lost : found).get(kind);
  }

  /** Creates the counters of a worker that is about to be called. */
  void addLiving(Worker worker) {
    if (!living.containsKey(worker)) {
      living.putIfAbsent(worker, new Counters());
    }
  }

  /** Adds the counters of a worker that has left to those of {@link Metrics#LOST}. */
  void removeLost(Worker worker) {
    Counters gone = living.remove(worker);
    if (gone != null) {
      lost.addAll(gone);
    }
  }

  /** Returns one row for each name and kind, also while two incarnations of a name are known. */
  List<CallMetrics> snapshot() {
    Map<String, Counters> byName = new HashMap<>();
    living.forEach((worker, counters) -> byName.merge(worker.name(), counters, Counters::plus));
    byName.put(Metrics.LOST, lost);
    List<CallMetrics> all = new ArrayList<>();
    byName.forEach(
        (name, counters) ->
            counters.byKind.forEach(
                (kind, counter) -> all.add(counter.snapshot(name, kind.name()))));
    return all;
  }
}
