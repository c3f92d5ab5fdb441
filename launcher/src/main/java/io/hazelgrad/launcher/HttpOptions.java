package io.hazelgrad.launcher;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.health.HealthEndpoint;
import io.hazelgrad.grid.health.HealthOptions;
import io.hazelgrad.grid.prometheus.PrometheusEndpoint;
import io.hazelgrad.grid.prometheus.PrometheusOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a member serves over HTTP. Its options are the command's too. */
final class HttpOptions {
  @Option(
      names = "--health-port",
      paramLabel = "P",
      defaultValue = "${sys:hazelgrad.health-port}",
      description =
          "Serve /health/live and /health/ready on this port, 0 for any; the system property"
              + " hazelgrad.health-port if not given, else they are not served.")
  private @Nullable Integer healthPort;

  @Option(
      names = "--health-host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "The address of this machine to serve them on (default: ${DEFAULT-VALUE}). Whoever"
              + " reaches it reads them without a password.")
  private String healthHost;

  @Option(
      names = "--metrics-port",
      paramLabel = "P",
      defaultValue = "${sys:hazelgrad.metrics-port}",
      description =
          "Serve the counters to Prometheus on this port, 0 for any; the system property"
              + " hazelgrad.metrics-port if not given, else they are not served.")
  private @Nullable Integer metricsPort;

  @Option(
      names = "--metrics-host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "The address of this machine to serve them on (default: ${DEFAULT-VALUE}). Whoever"
              + " reaches it reads them without a password.")
  private String metricsHost;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  HttpOptions() {}

  /**
   * Adds what was asked for.
   *
   * @throws BadInputException if a port is not free: better now than when the worker has joined
   */
  void addTo(HazelgradConfig.Builder builder) {
    if (healthPort != null) {
      builder.options(HealthOptions.onPort(healthPort).withHost(healthHost));
      requireFree("--health-host", healthHost, healthPort);
    }
    if (metricsPort != null) {
      builder.options(PrometheusOptions.onPort(metricsPort).withHost(metricsHost));
      requireFree("--metrics-host", metricsHost, metricsPort);
    }
  }

  private static void requireFree(String hostOption, String host, int port) {
    if (port != 0) { // Else any that is free.
      new Endpoint(host, port).requireFree(hostOption);
    }
  }

  /** Returns where it is served, as the rest of a line; empty if nothing is. */
  String places(Grid grid) {
    return (healthPort == null ? "" : ", health at " + HealthEndpoint.of(grid).uri())
        + (metricsPort == null ? "" : ", metrics at " + PrometheusEndpoint.of(grid).uri());
  }
}
