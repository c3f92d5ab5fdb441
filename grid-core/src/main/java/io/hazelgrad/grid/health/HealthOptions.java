package io.hazelgrad.grid.health;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * Whether and where a worker says over HTTP how it is, given with {@code HazelgradConfig.options}.
 * Default {@link #off}.
 *
 * <p>The endpoint has no password and no encryption: whoever reaches it reads what {@link Health}
 * has, and nothing else.
 *
 * @param enabled whether there is one
 * @param host the address of this machine to listen on; loopback by default
 * @param port its port; 0 for any that is free
 */
public record HealthOptions(boolean enabled, String host, int port) {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int MAX_PORT = 65_535;

  /**
   * Checks the port.
   *
   * @throws GridException BAD_CONFIG if it is no port
   */
  public HealthOptions {
    if (port < 0 || port > MAX_PORT) {
      throw new GridException(
          Status.BAD_CONFIG, "the port for health must be between 0 and 65535: " + port);
    }
  }

  /** Returns that there is no endpoint. */
  public static HealthOptions off() {
    return new HealthOptions(false, LOOPBACK, 0);
  }

  /**
   * Returns an endpoint on loopback.
   *
   * @throws GridException BAD_CONFIG if it is no port
   */
  public static HealthOptions onPort(int port) {
    return new HealthOptions(true, LOOPBACK, port);
  }

  /** Returns the same on another address of this machine; {@code 0.0.0.0} for all. */
  public HealthOptions withHost(String address) {
    return new HealthOptions(enabled, address, port);
  }
}
