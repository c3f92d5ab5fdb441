package io.hazelgrad.grid.waits;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridProvider;
import java.time.Duration;

/**
 * Finds out why a grid is slow or stuck. It asks all workers at once what they wait for, and joins
 * the answers. A worker that does not answer is named, with what the others wait for it.
 *
 * <p>The workers answer from tables that they keep anyway, so nothing is recorded beforehand.
 * Threads: safe.
 */
public interface Waits {
  /** The time after which a wait counts as long. */
  Duration LONG = Duration.ofSeconds(2);

  /** Makes the access of clients that have not entered the grid. */
  interface Factory {
    /** Returns the access of {@link Waits#over}. */
    Waits waitsOver(HazelcastInstance client, ClientConfig config);
  }

  /** Returns the waits of the grid of a worker or client. */
  static Waits on(GridAccess grid) {
    return grid.service(Waits.class);
  }

  /**
   * Returns the waits of a grid over a Hazelcast client, which need not have entered the grid. A
   * worker that is stopped can delay the entry of a client for a minute. A client with a connection
   * to one member only does not wait for it.
   *
   * @param config the client's configuration, prepared by {@code ClientConnection.prepare} before
   *     its start, with the property {@code hazelgrad.secret.file} if the grid has a secret
   */
  static Waits over(HazelcastInstance client, ClientConfig config) {
    return GridProvider.load(Factory.class, "Waits.Factory").waitsOver(client, config);
  }

  /**
   * Asks all workers, and waits for their answers for up to two seconds.
   *
   * @param atLeast how long a wait has lasted that is told
   */
  Diagnosis look(Duration atLeast);
}
