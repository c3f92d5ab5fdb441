package io.hazelgrad.grid.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;

/**
 * A part of the counters that has meters of its own. docs/reference/metrics.md lists their names.
 */
sealed interface MeteredRow {
  /** Registers the meters of this row; {@code self} has the name of the worker. */
  List<Meter> register(Metrics metrics, MeterRegistry registry, Tags self);

  /** A figure of the process. */
  record Figure(String name) implements MeteredRow {
    @Override
    public List<Meter> register(Metrics metrics, MeterRegistry registry, Tags self) {
      return List.of(
          Gauge.builder("hazelgrad." + name, metrics, this::value)
              .description("The figure " + name)
              .tags(self)
              .register(registry));
    }

    private double value(Metrics metrics) {
      Long value = metrics.figure(name);
      return value == null ? Double.NaN : value.doubleValue();
    }
  }

  /** The calls of one kind to one destination. */
  record Calls(String destination, String kind) implements MeteredRow {
    @Override
    public List<Meter> register(Metrics metrics, MeterRegistry registry, Tags self) {
      Tags tags = self.and("destination", destination, "kind", kind);
      return new RowMeters<CallMetrics>(metrics, registry, tags, it -> it.calls(destination, kind))
          .timer("hazelgrad.calls", "Calls made here that have ended", CallMetrics::latency)
          .counter("hazelgrad.calls.failed", null, "Calls that failed", CallMetrics::errors)
          .counter(
              "hazelgrad.calls.rejected",
              null,
              "Calls refused for lack of room",
              CallMetrics::rejected)
          .counter("hazelgrad.calls.sent", "bytes", "Bytes of requests", CallMetrics::bytesOut)
          .counter("hazelgrad.calls.received", "bytes", "Bytes of replies", CallMetrics::bytesIn)
          .quantiles(
              "hazelgrad.calls.latency",
              "Quantiles of the calls' durations since the start",
              CallMetrics::latency)
          .registered();
    }
  }

  /** The calls of one kind that ran here. */
  record Served(String kind) implements MeteredRow {
    @Override
    public List<Meter> register(Metrics metrics, MeterRegistry registry, Tags self) {
      Tags tags = self.and("kind", kind);
      return new RowMeters<ServedMetrics>(metrics, registry, tags, it -> it.served(kind))
          .timer(
              "hazelgrad.served", "Calls that ran here, until their reply", ServedMetrics::served)
          .counter(
              "hazelgrad.served.failed",
              null,
              "Calls that ran here and failed",
              ServedMetrics::errors)
          .timer("hazelgrad.served.queue", "Time that requests waited", ServedMetrics::queued)
          .quantiles(
              "hazelgrad.served.latency",
              "Quantiles of the times until the reply since the start",
              ServedMetrics::served)
          .quantiles(
              "hazelgrad.served.queue.latency",
              "Quantiles of the waiting times since the start",
              ServedMetrics::queued)
          .registered();
    }
  }
}
