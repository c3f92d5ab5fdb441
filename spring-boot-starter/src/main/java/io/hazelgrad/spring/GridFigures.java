package io.hazelgrad.spring;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.metrics.Metrics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Gauges for the figures of the worker. The gauge of the figure {@code agent.server_active_calls}
 * is {@code hazelgrad.agent.server_active_calls}. After the grid has closed they are NaN.
 */
final class GridFigures implements MeterBinder {
  private final Grid grid;

  GridFigures(Grid grid) {
    this.grid = grid;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (String figure : Metrics.of(grid).figures().keySet()) {
      Gauge.builder("hazelgrad." + figure, grid, it -> value(it, figure))
          .description("The figure " + figure + " of this worker")
          .register(registry);
    }
  }

  private static double value(Grid grid, String figure) {
    Long value = grid.isClosed() ? null : Metrics.of(grid).figures().get(figure);
    return value == null ? Double.NaN : value;
  }
}
