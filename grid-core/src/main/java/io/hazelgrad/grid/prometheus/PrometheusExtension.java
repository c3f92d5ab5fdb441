package io.hazelgrad.grid.prometheus;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import org.jspecify.annotations.Nullable;

/** Opens the endpoint of workers that are configured to have one; found by the grid itself. */
public final class PrometheusExtension implements GridExtension {
  private static final String SERVER = "io.prometheus.metrics.exporter.httpserver.HTTPServer";

  /** For the service loader. */
  public PrometheusExtension() {}

  /** After the counters. */
  @Override
  public int order() {
    return 5;
  }

  /** Must not name a type of the library: it may not be there. */
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
          "an endpoint for Prometheus needs io.prometheus:prometheus-metrics-exporter-httpserver"
              + " on the class path",
          e);
    }
    return new PrometheusEndpoint(context, options);
  }
}
