package io.hazelgrad.grid.prometheus;

import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Latency;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The counters of a worker as Prometheus gauges, counters, and summaries in seconds. */
record Exposition(Metrics metrics) implements MultiCollector {
  private static final String PREFIX = "hazelgrad_";
  private static final double NANOS_PER_SECOND = 1e9;

  @Override
  public MetricSnapshots collect() {
    MetricsSnapshot now = metrics.snapshot();
    Labels self = Labels.of("worker", now.worker());
    List<MetricSnapshot> all = new ArrayList<>();
    now.figures().forEach((name, value) -> all.add(gauge(name, value, self)));
    addCalls(
        new Rows<>(
            now.calls(), row -> self.add("destination", row.destination()).add("kind", row.kind())),
        all);
    addServed(new Rows<>(now.served(), row -> self.add("kind", row.kind())), all);
    return new MetricSnapshots(all);
  }

  private static MetricSnapshot gauge(String name, long value, Labels self) {
    return GaugeSnapshot.builder()
        .name(PREFIX + PrometheusNaming.sanitizeMetricName(name.replace('.', '_')))
        .help("The figure " + name)
        .dataPoint(GaugeDataPointSnapshot.builder().labels(self).value((double) value).build())
        .build();
  }

  private static void addCalls(Rows<CallMetrics> rows, List<MetricSnapshot> all) {
    all.add(rows.counter("calls", "Calls made here that have ended", CallMetrics::calls));
    all.add(rows.counter("calls_failed", "Those that failed", CallMetrics::errors));
    all.add(
        rows.counter("calls_rejected", "Those refused for lack of room", CallMetrics::rejected));
    all.add(rows.counter("calls_sent_bytes", "Bytes of requests", CallMetrics::bytesOut));
    all.add(rows.counter("calls_received_bytes", "Bytes of replies", CallMetrics::bytesIn));
    all.add(
        rows.summary(
            "calls_seconds", "How long calls took as their caller sees it", CallMetrics::latency));
  }

  private static void addServed(Rows<ServedMetrics> rows, List<MetricSnapshot> all) {
    all.add(rows.counter("served", "Calls of others that were run here", ServedMetrics::calls));
    all.add(rows.counter("served_failed", "Those that failed", ServedMetrics::errors));
    all.add(
        rows.summary(
            "served_queue_seconds", "How long requests had waited", ServedMetrics::queued));
    all.add(
        rows.summary(
            "served_seconds", "From a request's arrival to its reply", ServedMetrics::served));
  }

  /** Rows of counters with their labels. */
  private record Rows<T>(List<T> rows, Function<T, Labels> labels) {
    MetricSnapshot counter(String name, String help, ToLongFunction<T> value) {
      CounterSnapshot.Builder counter = CounterSnapshot.builder().name(PREFIX + name).help(help);
      for (T row : rows) {
        counter.dataPoint(
            CounterDataPointSnapshot.builder()
                .labels(labels.apply(row))
                .value((double) value.applyAsLong(row))
                .build());
      }
      return counter.build();
    }

    MetricSnapshot summary(String name, String help, Function<T, Latency> times) {
      SummarySnapshot.Builder summary = SummarySnapshot.builder().name(PREFIX + name).help(help);
      for (T row : rows) {
        Latency latency = times.apply(row);
        summary.dataPoint(
            SummaryDataPointSnapshot.builder()
                .labels(labels.apply(row))
                .count(latency.count())
                .quantiles(quantiles(latency))
                .build());
      }
      return summary.build();
    }

    private static Quantiles quantiles(Latency latency) {
      return Quantiles.of(
          quantile(0.5, latency.p50()),
          quantile(0.9, latency.p90()),
          quantile(0.99, latency.p99()),
          quantile(0.999, latency.p999()),
          quantile(1, latency.max()));
    }

    private static Quantile quantile(double which, long nanos) {
      return new Quantile(which, nanos / NANOS_PER_SECOND);
    }
  }
}
