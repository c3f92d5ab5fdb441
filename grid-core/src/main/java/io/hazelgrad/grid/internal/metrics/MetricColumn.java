package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.internal.hazelcast.MemberMetrics.Sink;
import io.hazelgrad.grid.internal.hazelcast.MemberMetrics.Unit;
import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Latency;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * One value of a row of counters, published under the same name everywhere.
 *
 * @param <T> the row: {@link CallMetrics} or {@link ServedMetrics}
 */
record MetricColumn<T>(String name, Unit unit, ToLongFunction<T> value) {
  static final List<MetricColumn<CallMetrics>> CALLS =
      Stream.concat(
              Stream.of(
                  new MetricColumn<>("count", Unit.COUNT, CallMetrics::calls),
                  new MetricColumn<>("errors", Unit.COUNT, CallMetrics::errors),
                  new MetricColumn<>("rejected", Unit.COUNT, CallMetrics::rejected),
                  new MetricColumn<>("bytes_out", Unit.BYTES, CallMetrics::bytesOut),
                  new MetricColumn<>("bytes_in", Unit.BYTES, CallMetrics::bytesIn)),
              quantiles("latency", CallMetrics::latency))
          .toList();

  static final List<MetricColumn<ServedMetrics>> SERVED =
      Stream.of(
              Stream.of(
                  new MetricColumn<>("count", Unit.COUNT, ServedMetrics::calls),
                  new MetricColumn<>("errors", Unit.COUNT, ServedMetrics::errors)),
              quantiles("queued", ServedMetrics::queued),
              quantiles("served", ServedMetrics::served))
          .flatMap(columns -> columns)
          .toList();

  private static <T> Stream<MetricColumn<T>> quantiles(String name, Function<T, Latency> times) {
    return Stream.of(
        quantile(name + ".p50", times, Latency::p50),
        quantile(name + ".p90", times, Latency::p90),
        quantile(name + ".p99", times, Latency::p99),
        quantile(name + ".p999", times, Latency::p999),
        quantile(name + ".max", times, Latency::max));
  }

  private static <T> MetricColumn<T> quantile(
      String name, Function<T, Latency> times, ToLongFunction<Latency> value) {
    return new MetricColumn<>(name, Unit.NANOSECONDS, row -> value.applyAsLong(times.apply(row)));
  }

  static void collect(MetricsSnapshot snapshot, Sink sink) {
    snapshot.figures().forEach((name, value) -> sink.add(Map.of(), name, Unit.COUNT, value));
    for (CallMetrics row : snapshot.calls()) {
      Map<String, String> tags = Map.of("destination", row.destination(), "kind", row.kind());
      CALLS.forEach(column -> column.add("calls.", tags, row, sink));
    }
    for (ServedMetrics row : snapshot.served()) {
      Map<String, String> tags = Map.of("kind", row.kind());
      SERVED.forEach(column -> column.add("served.", tags, row, sink));
    }
  }

  private void add(String prefix, Map<String, String> tags, T row, Sink sink) {
    sink.add(tags, prefix + name, unit, value.applyAsLong(row));
  }
}
