package io.hazelgrad.grid.prometheus;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens the Prometheus endpoint of workers that are configured to have one. */
public final class PrometheusExtension implements GridExtension {
  /** The classes that an application has to bring, by the artifact that has them. */
  private static final Map<String, String> NEEDED =
      Map.of(
          "io.micrometer.prometheusmetrics.PrometheusMeterRegistry",
          "io.micrometer:micrometer-registry-prometheus",
          "io.prometheus.metrics.exporter.httpserver.HTTPServer",
          "io.prometheus:prometheus-metrics-exporter-httpserver");

  /** Starts after the extensions that add figures. */
  @Override
  public int order() {
    return 900;
  }

  /** Names no type of the libraries, which may be missing. */
  @Override
  public @Nullable Object start(GridContext context) {
    PrometheusOptions options = context.config().options(PrometheusOptions.off());
    if (!options.enabled()) {
      return null;
    }
    NEEDED.forEach(PrometheusExtension::require);
    return new PrometheusEndpoint(context, options);
  }

  private static void require(String type, String artifact) {
    try {
      var unused = Class.forName(type, false, PrometheusExtension.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new GridException(
          Status.BAD_CONFIG, "PrometheusOptions needs " + artifact + " on the class path", e);
    }
  }
}
