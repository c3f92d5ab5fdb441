package io.hazelgrad.grid.spi;

import com.hazelcast.config.Config;

/**
 * A module that plugs into every grid on the class path, found by {@link java.util.ServiceLoader}.
 */
public interface GridExtension {
  /** Returns its place in the order of starting; a later one may use what earlier ones offer. */
  int order();

  /** Adds to the Hazelcast configuration what the module needs, before the member starts. */
  void prepare(Config config);

  /** Starts the module's part of a grid and returns its service, see {@code Grid.service}. */
  Object start(GridContext context);
}
