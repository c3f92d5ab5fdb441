package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.metrics.Latency;
import io.hazelgrad.grid.metrics.ServedMetrics;
import java.util.concurrent.atomic.LongAdder;

/** Counts the served calls of one kind. Threads: safe, without locks. */
final class ServedCounter {
  private final LongAdder errors = new LongAdder();
  private final Histogram queued = new Histogram();
  private final Histogram served = new Histogram();

  void began(long queuedNanos) {
    queued.add(queuedNanos);
  }

  void failed() {
    errors.increment();
  }

  void ended(long nanos) {
    served.add(nanos);
  }

  ServedMetrics snapshot(String kind) {
    Latency times = served.snapshot();
    return new ServedMetrics(kind, times.count(), errors.sum(), queued.snapshot(), times);
  }
}
