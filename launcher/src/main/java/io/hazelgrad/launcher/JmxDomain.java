package io.hazelgrad.launcher;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridListener;
import io.hazelgrad.grid.metrics.GridMetrics;
import io.micrometer.core.instrument.Clock;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import org.jspecify.annotations.Nullable;

/** The settings of a JMX registry of Micrometer whose beans are in the domain of the grid. */
enum JmxDomain implements JmxConfig {
  /** The only settings. */
  SETTINGS;

  /** Publishes the counters of a worker by JMX until its grid closes. */
  static void publish(Grid grid) {
    JmxMeterRegistry registry = new JmxMeterRegistry(SETTINGS, Clock.SYSTEM);
    GridMetrics.of(grid).bindTo(registry);
    grid.addListener(
        new GridListener() {
          @Override
          public void closed() {
            registry.close();
          }
        });
  }

  @Override
  public @Nullable String get(String key) {
    return null;
  }

  @Override
  public String domain() {
    return "io.hazelgrad";
  }
}
