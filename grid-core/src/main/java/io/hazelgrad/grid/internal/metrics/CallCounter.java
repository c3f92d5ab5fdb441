package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Latency;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the calls of one kind to one destination. Threads: safe, without locks. */
final class CallCounter {
  private final LongAdder errors = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder bytesOut = new LongAdder();
  private final LongAdder bytesIn = new LongAdder();
  private final Histogram latency = new Histogram();

  void ended(long nanos, long out, long in, @Nullable Status failure) {
    latency.add(nanos);
    bytesOut.add(out);
    bytesIn.add(in);
    if (failure != null) {
      errors.increment();
      if (failure == Status.REJECTED) {
        rejected.increment();
      }
    }
  }

  void addAll(CallCounter other) {
    errors.add(other.errors.sum());
    rejected.add(other.rejected.sum());
    bytesOut.add(other.bytesOut.sum());
    bytesIn.add(other.bytesIn.sum());
    latency.addAll(other.latency);
  }

  CallMetrics snapshot(String destination, String kind) {
    Latency times = latency.snapshot();
    return new CallMetrics(
        destination,
        kind,
        times.count(),
        errors.sum(),
        rejected.sum(),
        bytesOut.sum(),
        bytesIn.sum(),
        times);
  }
}
