package io.hazelgrad.grid.prometheus;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * Whether and where a worker has an endpoint for Prometheus, given with {@code
 * HazelgradConfig.options}. Default {@link #off}.
 *
 * <p>The endpoint has no password and no encryption: whoever reaches it reads the names of workers
 * and all counters, and nothing else.
 *
 * @param enabled whether there is one
 * @param host the address of this machine to listen on; loopback by default
 * @param port its port; 0 for any that is free
 */
public record PrometheusOptions(boolean enabled, String host, int port) {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int MAX_PORT = 65_535;

  /**
   * Checks the port.
   *
   * @throws GridException BAD_CONFIG if it is no port
   */
  public PrometheusOptions {
    if (port < 0 || port > MAX_PORT) {
      throw new GridException(
          Status.BAD_CONFIG, "the port for Prometheus must be between 0 and 65535: " + port);
    }
  }

  /** Returns that there is no endpoint. */
  public static PrometheusOptions off() {
    return new PrometheusOptions(false, LOOPBACK, 0);
  }

  /**
   * Returns an endpoint on loopback.
   *
   * @throws GridException BAD_CONFIG if it is no port
   */
  public static PrometheusOptions onPort(int port) {
    return new PrometheusOptions(true, LOOPBACK, port);
  }

  /** Returns the same on another address of this machine; {@code 0.0.0.0} for all. */
  public PrometheusOptions withHost(String address) {
    return new PrometheusOptions(enabled, address, port);
  }
}
