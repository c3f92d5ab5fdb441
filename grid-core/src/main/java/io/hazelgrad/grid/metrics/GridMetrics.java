package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridListener;
import io.hazelgrad.grid.Worker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binds the counters of a worker or client to a registry of Micrometer. The registry then has a
 * gauge for each figure and meters for each destination and kind of call, also for those that
 * appear later. They are removed when the destination leaves and when the grid closes. A worker
 * that is fenced has no meters until it has rejoined.
 *
 * <p>The meters read the counters that the grid keeps in any case, so they cost a call nothing.
 *
 * <pre>{@code
 * GridMetrics.of(grid).bindTo(registry);
 * }</pre>
 */
public final class GridMetrics implements MeterBinder {
  private final GridAccess grid;

  private GridMetrics(GridAccess grid) {
    this.grid = grid;
  }

  /** Returns a binder of the counters of a worker or client. */
  public static GridMetrics of(GridAccess grid) {
    return new GridMetrics(grid);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    bind(Metrics.of(grid), registry);
    if (grid instanceof Grid worker) {
      worker.addListener(
          new GridListener() {
            @Override
            public void rejoined(Worker self) {
              bind(Metrics.of(grid), registry);
            }
          });
    }
  }

  /** Binds the counters of one incarnation of a worker. */
  public static void bind(Metrics metrics, MeterRegistry registry) {
    metrics.addListener(new GridMeters(metrics, registry));
  }
}
