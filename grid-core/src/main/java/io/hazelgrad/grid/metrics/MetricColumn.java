package io.hazelgrad.grid.metrics;

import com.hazelcast.internal.metrics.ProbeUnit;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * A number of a row of counters as it is published, under the same name everywhere.
 *
 * @param <T> the row: {@link CallMetrics} or {@link ServedMetrics}
 */
record MetricColumn<T>(String name, ProbeUnit unit, ToLongFunction<T> value) {
  /** What is published of calls to one destination. */
  static final List<MetricColumn<CallMetrics>> CALLS =
      Stream.concat(
              Stream.of(
                  new MetricColumn<>("count", ProbeUnit.COUNT, CallMetrics::calls),
                  new MetricColumn<>("errors", ProbeUnit.COUNT, CallMetrics::errors),
                  new MetricColumn<>("rejected", ProbeUnit.COUNT, CallMetrics::rejected),
                  new MetricColumn<>("bytes_out", ProbeUnit.BYTES, CallMetrics::bytesOut),
                  new MetricColumn<>("bytes_in", ProbeUnit.BYTES, CallMetrics::bytesIn)),
              times("latency", CallMetrics::latency))
          .toList();

  /** What is published of the calls that are served. */
  static final List<MetricColumn<ServedMetrics>> SERVED =
      Stream.of(
              Stream.of(
                  new MetricColumn<>("count", ProbeUnit.COUNT, ServedMetrics::calls),
                  new MetricColumn<>("errors", ProbeUnit.COUNT, ServedMetrics::errors)),
              times("queued", ServedMetrics::queued),
              times("served", ServedMetrics::served))
          .flatMap(columns -> columns)
          .toList();

  private static <T> Stream<MetricColumn<T>> times(String name, Function<T, Latency> times) {
    return Stream.of(
        quantile(name + ".p50", times, Latency::p50),
        quantile(name + ".p90", times, Latency::p90),
        quantile(name + ".p99", times, Latency::p99),
        quantile(name + ".p999", times, Latency::p999),
        quantile(name + ".max", times, Latency::max));
  }

  private static <T> MetricColumn<T> quantile(
      String name, Function<T, Latency> times, ToLongFunction<Latency> quantile) {
    return new MetricColumn<>(name, ProbeUnit.NS, row -> quantile.applyAsLong(times.apply(row)));
  }
}
