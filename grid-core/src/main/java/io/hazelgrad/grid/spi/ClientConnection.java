package io.hazelgrad.grid.spi;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridProvider;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Worker;

/**
 * The calls of a thin client over a connected Hazelcast client. Applications use {@code GridClient}
 * of the module client, which adds the start and the shutdown of the Hazelcast client. Threads:
 * safe.
 */
public interface ClientConnection extends GridAccess, AutoCloseable {
  /** Makes connections. */
  interface Factory {
    /** Adds to a client's configuration what calls need, before the client starts. */
    ClientConfig prepare(ClientConfig config);

    /** Enters the grid, see {@link ClientConnection#over}. */
    ClientConnection over(
        HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config);
  }

  /** Adds to a client's configuration what calls need, once, before the client starts. */
  static ClientConfig prepare(ClientConfig config) {
    return factory().prepare(config);
  }

  /**
   * Enters the grid over a connected client whose configuration was {@link #prepare prepared}
   * before its start. Closing leaves the client running.
   *
   * @param config the name that callees see, what may travel, and the deadline of calls
   * @throws GridException BAD_CONFIG if it is not a client as Hazelcast makes it; WORKER_LOST or
   *     NO_QUORUM if for 15 s it could not enter the grid; TIMEOUT if a member does not answer
   */
  static ClientConnection over(
      HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    return factory().over(client, clientConfig, config);
  }

  private static Factory factory() {
    return GridProvider.load(Factory.class, "ClientConnection.Factory");
  }

  /** Returns this client as callees see it. After it was lost to the grid it is another one. */
  Worker self();

  /** Releases what modules hold, within 5 s, and ends the calls without an answer with CLOSED. */
  @Override
  void close();
}
