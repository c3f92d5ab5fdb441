package io.hazelgrad.grid.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The meters of one incarnation of a worker, or of a client, in one registry. Threads: safe. */
final class GridMeters implements Metrics.Listener {
  private final Metrics metrics;
  private final MeterRegistry registry;

  /** The registered meters by what they show. Guarded by this. */
  private final Map<MeteredRow, List<Meter>> registered = new HashMap<>();

  private boolean closed;

  GridMeters(Metrics metrics, MeterRegistry registry) {
    this.metrics = metrics;
    this.registry = registry;
  }

  @Override
  public synchronized void changed() {
    if (closed) {
      return;
    }
    MetricsSnapshot now = metrics.snapshot();
    Set<MeteredRow> rows = new HashSet<>();
    now.figures().keySet().forEach(name -> rows.add(new MeteredRow.Figure(name)));
    now.calls().forEach(it -> rows.add(new MeteredRow.Calls(it.destination(), it.kind())));
    now.served().forEach(it -> rows.add(new MeteredRow.Served(it.kind())));
    Set<MeteredRow> gone = new HashSet<>(registered.keySet());
    gone.removeAll(rows);
    gone.forEach(this::remove);
    Tags self = Tags.of("worker", now.worker());
    rows.forEach(
        row -> registered.computeIfAbsent(row, it -> it.register(metrics, registry, self)));
  }

  @Override
  public synchronized void closed() {
    closed = true;
    Set.copyOf(registered.keySet()).forEach(this::remove);
  }

  private void remove(MeteredRow row) {
    List<Meter> meters = registered.remove(row);
    if (meters != null) {
      meters.forEach(registry::remove);
    }
  }
}
