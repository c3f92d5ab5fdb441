package io.hazelgrad.grid.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers meters that read one row of the counters. Meters hold their object weakly; it is the
 * counters themselves, which live as long as the grid.
 *
 * @param <T> the row, which is null if it is gone when a meter is read
 */
final class RowMeters<T> {
  private static final Map<String, ToLongFunction<Latency>> QUANTILES =
      Map.of(
          "0.5", Latency::p50,
          "0.9", Latency::p90,
          "0.99", Latency::p99,
          "0.999", Latency::p999,
          "1", Latency::max);

  private final Metrics metrics;
  private final MeterRegistry registry;
  private final Tags tags;
  private final Function<Metrics, @Nullable T> row;
  private final List<Meter> registered = new ArrayList<>();

  RowMeters(
      Metrics metrics, MeterRegistry registry, Tags tags, Function<Metrics, @Nullable T> row) {
    this.metrics = metrics;
    this.registry = registry;
    this.tags = tags;
    this.row = row;
  }

  private long read(Metrics from, ToLongFunction<T> value) {
    T found = row.apply(from);
    return found == null ? 0 : value.applyAsLong(found);
  }

  RowMeters<T> counter(String name, @Nullable String unit, String help, ToLongFunction<T> value) {
    registered.add(
        FunctionCounter.builder(name, metrics, it -> (double) read(it, value))
            .baseUnit(unit)
            .description(help)
            .tags(tags)
            .register(registry));
    return this;
  }

  RowMeters<T> timer(String name, String help, Function<T, Latency> times) {
    registered.add(
        FunctionTimer.builder(
                name,
                metrics,
                it -> read(it, found -> times.apply(found).count()),
                it -> (double) read(it, found -> times.apply(found).total()),
                TimeUnit.NANOSECONDS)
            .description(help)
            .tags(tags)
            .register(registry));
    return this;
  }

  RowMeters<T> quantiles(String name, String help, Function<T, Latency> times) {
    QUANTILES.forEach(
        (quantile, value) ->
            registered.add(
                TimeGauge.builder(
                        name,
                        metrics,
                        TimeUnit.NANOSECONDS,
                        it -> (double) read(it, found -> value.applyAsLong(times.apply(found))))
                    .description(help)
                    .tags(tags.and("quantile", quantile))
                    .register(registry)));
    return this;
  }

  List<Meter> registered() {
    return List.copyOf(registered);
  }
}
