package io.hazelgrad.grid.prometheus;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import org.jspecify.annotations.Nullable;

/** Opens the Prometheus endpoint of workers that are configured to have one. */
public final class PrometheusExtension implements GridExtension {
  private static final String SERVER = "io.prometheus.metrics.exporter.httpserver.HTTPServer";

  /** Starts after the counters. */
  @Override
  public int order() {
    return 5;
  }

  /** Names no type of the library, which may be missing. */
  @Override
  public @Nullable Object start(GridContext context) {
    PrometheusOptions options = context.config().options(PrometheusOptions.off());
    if (!options.enabled()) {
      return null;
    }
    try {
      var unused = Class.forName(SERVER, false, PrometheusExtension.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new GridException(
          Status.BAD_CONFIG,
          "PrometheusOptions needs io.prometheus:prometheus-metrics-exporter-httpserver"
              + " on the class path",
          e);
    }
    return new PrometheusEndpoint(context, options);
  }
}
