package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Latency;
import io.hazelgrad.grid.metrics.ServedMetrics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The columns of a table of counters, which have the same names everywhere.
 *
 * @param <T> a row
 * @param name the name of the table
 * @param keys the columns that identify a row of one worker
 * @param columns the columns of numbers
 */
record MetricTable<T>(
    String name, TreeMap<String, Function<T, String>> keys, List<Column<T>> columns) {
  /** A column of numbers. */
  record Column<T>(String name, ToLongFunction<T> value) {}

  static final MetricTable<Map.Entry<String, Long>> FIGURES =
      new MetricTable<>(
          "figures",
          new TreeMap<>(Map.of("figure", Map.Entry::getKey)),
          List.of(new Column<>("amount", Map.Entry::getValue)));

  static final MetricTable<CallMetrics> CALLS =
      new MetricTable<>(
          "calls",
          new TreeMap<>(Map.of("destination", CallMetrics::destination, "kind", CallMetrics::kind)),
          Stream.concat(
                  Stream.of(
                      new Column<>("count", CallMetrics::calls),
                      new Column<>("errors", CallMetrics::errors),
                      new Column<>("rejected", CallMetrics::rejected),
                      new Column<>("bytes_out", CallMetrics::bytesOut),
                      new Column<>("bytes_in", CallMetrics::bytesIn)),
                  quantiles("latency", CallMetrics::latency))
              .toList());

  static final MetricTable<ServedMetrics> SERVED =
      new MetricTable<>(
          "served",
          new TreeMap<>(Map.of("kind", ServedMetrics::kind)),
          Stream.of(
                  Stream.of(
                      new Column<>("count", ServedMetrics::calls),
                      new Column<>("errors", ServedMetrics::errors)),
                  quantiles("queued", ServedMetrics::queued),
                  quantiles("served", ServedMetrics::served))
              .flatMap(columns -> columns)
              .toList());

  private static <T> Stream<Column<T>> quantiles(String name, Function<T, Latency> times) {
    return Stream.of(
        quantile(name + ".p50", times, Latency::p50),
        quantile(name + ".p90", times, Latency::p90),
        quantile(name + ".p99", times, Latency::p99),
        quantile(name + ".p999", times, Latency::p999),
        quantile(name + ".max", times, Latency::max));
  }

  private static <T> Column<T> quantile(
      String name, Function<T, Latency> times, ToLongFunction<Latency> value) {
    return new Column<>(name, row -> value.applyAsLong(times.apply(row)));
  }
}
