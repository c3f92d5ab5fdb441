package io.hazelgrad.grid.spi;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import io.hazelgrad.grid.HazelgradConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A module that plugs into every grid and client, found by {@link java.util.ServiceLoader}. */
public interface GridExtension {
  /** Returns its place in the order of starting; a later one may use what earlier ones offer. */
  int order();

  /**
   * Adds to the Hazelcast configuration what the module needs, before the member starts.
   *
   * @param worker the configuration of the worker that the member will have
   */
  default void prepare(Config config, HazelgradConfig worker) {}

  /**
   * Returns SQL statements, {@code CREATE OR REPLACE MAPPING}, that give columns to maps of the
   * module. Each member runs them when it has started, if it has Hazelcast's SQL.
   */
  default List<String> sqlMappings() {
    return List.of();
  }

  /** Starts the module's part of a grid; returns its service for {@code Grid.service}, or null. */
  @Nullable Object start(GridContext context);

  /** Adds to a client's configuration what the module needs, before the client starts. */
  default void prepareClient(ClientConfig config) {}

  /** Starts the module's part of each incarnation of a client; returns its service, or null. */
  default @Nullable Object startClient(GridContext context) {
    return null;
  }
}
