package io.hazelgrad.launcher;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridListener;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.health.HealthEndpoint;
import io.hazelgrad.grid.health.HealthOptions;
import io.hazelgrad.grid.prometheus.PrometheusEndpoint;
import io.hazelgrad.grid.prometheus.PrometheusOptions;
import io.hazelgrad.launcher.page.PageServer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code member} for its HTTP endpoints: health, metrics and the page. */
final class HttpOptions {
  @Option(
      names = "--health-port",
      paramLabel = "P",
      defaultValue = "${sys:hazelgrad.health-port}",
      description =
          "Serve /health/live and /health/ready on this port, 0 for a free one. Default: the"
              + " system property hazelgrad.health-port, else not served.")
  private @Nullable Integer healthPort;

  @Option(
      names = "--health-host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "The address of this machine to serve them on (default: ${DEFAULT-VALUE}). They are"
              + " readable without a password.")
  private String healthHost;

  @Option(
      names = "--metrics-port",
      paramLabel = "P",
      defaultValue = "${sys:hazelgrad.metrics-port}",
      description =
          "Serve the counters to Prometheus on this port, 0 for a free one. Default: the system"
              + " property hazelgrad.metrics-port, else not served.")
  private @Nullable Integer metricsPort;

  @Option(
      names = "--metrics-host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description =
          "The address of this machine to serve them on (default: ${DEFAULT-VALUE}). They are"
              + " readable without a password.")
  private String metricsHost;

  @Option(
      names = "--page-port",
      paramLabel = "P",
      defaultValue = "${sys:hazelgrad.page-port}",
      description =
          "Serve a page that shows the grid to browsers on this machine, 0 for a free port. Default:"
              + " the system property hazelgrad.page-port, else not served.")
  private @Nullable Integer pagePort;

  /** Creates the options; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  HttpOptions() {}

  void addTo(HazelgradConfig.Builder builder) {
    if (healthPort != null) {
      builder.options(HealthOptions.onPort(healthPort).withHost(healthHost));
      requireFree("--health-host", healthHost, healthPort);
    }
    if (metricsPort != null) {
      builder.options(PrometheusOptions.onPort(metricsPort).withHost(metricsHost));
      requireFree("--metrics-host", metricsHost, metricsPort);
    }
    if (pagePort != null) {
      PageServer.requirePort(pagePort);
      requireFree("--page-port", PageServer.HOST, pagePort);
    }
  }

  private static void requireFree(String hostOption, String host, int port) {
    if (port != 0) { // Port 0 stands for a free one.
      new Endpoint(host, port).requireFree(hostOption);
    }
  }

  /**
   * Opens the page if it is wanted, until the grid closes; returns its place as the end of a line.
   */
  String openPage(Grid grid) {
    if (pagePort == null) {
      return "";
    }
    PageServer page = PageServer.open(grid, pagePort);
    grid.addListener(
        new GridListener() {
          @Override
          public void closed() {
            page.close();
          }
        });
    return ", page at " + page.uri();
  }

  /** Returns the URIs of the endpoints as the end of a line, or an empty text. */
  String places(Grid grid) {
    return (healthPort == null ? "" : ", health at " + HealthEndpoint.of(grid).uri())
        + (metricsPort == null ? "" : ", metrics at " + PrometheusEndpoint.of(grid).uri());
  }
}
