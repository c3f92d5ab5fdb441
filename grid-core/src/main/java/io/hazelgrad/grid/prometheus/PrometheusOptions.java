package io.hazelgrad.grid.prometheus;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * The settings of a worker's {@link PrometheusEndpoint}, given with {@code
 * HazelgradConfig.options}. The default is {@link #off}.
 *
 * <p>The endpoint has no password and no encryption. It gives the names of workers and all
 * counters, and nothing else, to everyone that can reach it.
 *
 * @param host the address of this machine to listen on; loopback by default
 * @param port the port, up to 65535; 0 for any free one
 */
public record PrometheusOptions(boolean enabled, String host, int port) {
  private static final String LOOPBACK = "127.0.0.1";

  /** Checks the port; throws BAD_CONFIG if it is not between 0 and 65535. */
  public PrometheusOptions {
    if (port < 0 || port > 65_535) {
      throw new GridException(
          Status.BAD_CONFIG, "the port for Prometheus must be between 0 and 65535: " + port);
    }
  }

  /** Returns settings without an endpoint. */
  public static PrometheusOptions off() {
    return new PrometheusOptions(false, LOOPBACK, 0);
  }

  /** Returns settings with an endpoint on loopback. */
  public static PrometheusOptions onPort(int port) {
    return new PrometheusOptions(true, LOOPBACK, port);
  }

  /** Returns the same settings for another address of this machine; {@code 0.0.0.0} for all. */
  public PrometheusOptions withHost(String address) {
    return new PrometheusOptions(enabled, address, port);
  }
}
