package io.hazelgrad.grid.internal.member;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.LimitedMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last 1,000 workers that are gone, for errors. Threads: safe. */
final class GoneWorkers {
  private static final int MOST = 1000;

  /** The name of a worker that is gone, whether it left orderly, and since when. */
  private record Gone(String name, boolean left, long nanos) {}

  private final Map<Long, Gone> byId = new LimitedMap<>(MOST);

  /** Notes a worker. One that has left stays so, also if it is noted as lost later. */
  synchronized void note(Worker worker, boolean left) {
    byId.merge(
        worker.id(),
        new Gone(worker.name(), left, System.nanoTime()),
        (before, now) -> new Gone(now.name, before.left || left, before.nanos));
  }

  synchronized boolean contains(long id) {
    return byId.containsKey(id);
  }

  /** Returns the name of a worker that is gone; null if it is not known to be. */
  synchronized @Nullable String nameOf(long id) {
    Gone worker = byId.get(id);
    return worker == null ? null : worker.name;
  }

  synchronized boolean hasLeft(long id) {
    Gone worker = byId.get(id);
    return worker != null && worker.left;
  }

  /** Returns the names of the workers that were lost within a time, with the nanoseconds since. */
  synchronized Map<String, Long> lostWithin(long nanos) {
    long now = System.nanoTime();
    Map<String, Long> lost = new HashMap<>();
    for (Gone each : byId.values()) {
      if (!each.left && now - each.nanos < nanos) {
        lost.merge(each.name, now - each.nanos, Math::min);
      }
    }
    return lost;
  }
}
