package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.MessageKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The counters of all destinations. Those of workers that have left are folded into one, so there
 * are as many as living workers and one more, times the kinds of messages.
 *
 * <p>Race: a call to a worker may end after the worker was folded. It must not make the worker's
 * counters anew, or they would stay for ever; so what is unknown and not living counts as lost.
 * Threads: safe.
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

    /** Returns what both have, as of now. */
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

  /** A call to a worker is made: it lives. */
  void meet(Worker worker) {
    if (!living.containsKey(worker)) {
      living.putIfAbsent(worker, new Counters());
    }
  }

  /** A worker has left. */
  void fold(Worker worker) {
    Counters gone = living.remove(worker);
    if (gone != null) {
      lost.addAll(gone);
    }
  }

  /** Returns a row for each name and kind, also while two incarnations of a name are known. */
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
