package io.hazelgrad.grid.prometheus;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.metrics.GridMetrics;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.spi.GridContext;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;

/**
 * A worker's HTTP endpoint for Prometheus. It exists while the worker is in the grid. A later
 * incarnation has it on the same port, unless the configured port is 0. Threads: safe.
 */
public final class PrometheusEndpoint {
  private final HTTPServer server;
  private final String host;

  PrometheusEndpoint(GridContext context, PrometheusOptions options) {
    // Of its own, since one JVM may have several grids.
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try {
      InetAddress address = InetAddress.getByName(options.host());
      server =
          HTTPServer.builder()
              .inetAddress(address)
              .port(options.port())
              .registry(registry.getPrometheusRegistry())
              .buildAndStart();
      host = options.host().contains(":") ? "[" + options.host() + "]" : options.host();
    } catch (IOException e) {
      throw new GridException(
          Status.BAD_CONFIG,
          "cannot open the endpoint for Prometheus at %s:%s: %s"
              .formatted(options.host(), options.port(), e),
          e);
    }
    context.onClose(
        () -> {
          server.close();
          registry.close();
        });
    GridMetrics.bind(context.service(Metrics.class), registry);
  }

  /** Returns the endpoint of a worker; throws BAD_CONFIG if it was not configured to have one. */
  public static PrometheusEndpoint of(Grid grid) {
    return grid.service(PrometheusEndpoint.class);
  }

  /** Returns the address of the counters, such as {@code http://127.0.0.1:9404/metrics}. */
  public URI uri() {
    return URI.create("http://" + host + ":" + server.getPort() + "/metrics");
  }
}
