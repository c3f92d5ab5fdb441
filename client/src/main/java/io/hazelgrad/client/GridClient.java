package io.hazelgrad.client;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * A thin client: it calls the workers of a grid and is none, so nothing can call it.
 *
 * <pre>{@code
 * try (GridClient client = GridClient.connect(new ClientConfig())) {
 *   double score = client.rpc().sync("ranker", Ranker::score, x);
 *   try (RRef<Basket> basket = client.rrefs().remote("shop", Basket::new)) {
 *     basket.sync(Basket::put, "apple");
 *   }
 * }
 * }</pre>
 *
 * <p>Calls are those of a worker, see {@link Rpc}. If the connection breaks, a call waits for the
 * next one until its deadline, and runs once all the same. Operators are checked by the callee.
 *
 * <p>Threads: safe.
 */
public final class GridClient implements GridAccess, AutoCloseable {
  private static final Duration CONNECT_DEADLINE = Duration.ofSeconds(60);

  private final HazelcastInstance hazelcast;
  private final ClientConnection connection;

  GridClient(HazelcastInstance hazelcast, ClientConnection connection) {
    this.hazelcast = hazelcast;
    this.connection = connection;
  }

  /** Connects within 60 s under a random name, with the defaults of {@link HazelgradConfig}. */
  public static GridClient connect(ClientConfig config) {
    String name = "client-" + UUID.randomUUID().toString().substring(0, 8);
    return connect(config, HazelgradConfig.named(name).build());
  }

  /** Connects within 60 s; see {@link #connect(ClientConfig, HazelgradConfig, Duration)}. */
  public static GridClient connect(ClientConfig config, HazelgradConfig hazelgrad) {
    return connect(config, hazelgrad, CONNECT_DEADLINE);
  }

  /**
   * Connects, and waits for the cluster and for the entry into the grid.
   *
   * @param config the client's configuration; settings that calls need are added to it
   * @param hazelgrad the name that callees see, which need not be unique, the classes of values,
   *     and the deadline of calls; its limits and its member configuration do not matter here
   * @param deadline the time after which it gives up; positive
   * @throws GridException BAD_ARGUMENT if the deadline is not positive; BAD_CONFIG if the client
   *     cannot connect. Worth another attempt are WORKER_LOST or NO_QUORUM, if for 15 s the members
   *     that it asked went down or were cut off from most of the others, and TIMEOUT, if no cluster
   *     was there or a member did not answer; CANCELLED if this thread was interrupted
   */
  public static GridClient connect(
      ClientConfig config, HazelgradConfig hazelgrad, Duration deadline) {
    if (deadline.isNegative() || deadline.isZero()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "deadline=" + deadline + ", but a client needs time to connect");
    }
    return new ClientStart(config, hazelgrad).await(deadline);
  }

  /**
   * Returns this client as callees see it. If no member had a connection of it for {@link
   * HazelgradConfig#clientGrace()}, it is lost to the grid and comes back as another one: calls and
   * references that it had have ended with FENCED, and its services are to be got anew.
   */
  public Worker self() {
    return connection.self();
  }

  @Override
  public Rpc rpc() {
    return connection.rpc();
  }

  @Override
  public List<Worker> workers() {
    return connection.workers();
  }

  /** {@inheritDoc} This client itself is none. */
  @Override
  public Worker worker(String name) {
    return connection.worker(name);
  }

  /**
   * Returns the references of this client to objects on workers; it owns none. See {@link #self}.
   */
  public RRefs rrefs() {
    return service(RRefs.class);
  }

  /**
   * Returns distributed differentiation, driven from here: contexts, backward passes and local
   * arithmetic. While a context is open, a worker relays for this client. See {@link #self}.
   */
  public Autograd autograd() {
    return service(Autograd.class);
  }

  @Override
  public <S> S service(Class<S> type) {
    return connection.service(type);
  }

  /** Returns the codecs of this client, to add some; after a loss those of its configuration. */
  @Override
  public Codecs codecs() {
    return connection.codecs();
  }

  @Override
  public int outstandingCalls() {
    return connection.outstandingCalls();
  }

  @Override
  public HazelcastInstance hazelcast() {
    return hazelcast;
  }

  /** Closes its references, for up to 5 s, ends its calls with CLOSED, and disconnects. */
  @Override
  public void close() {
    try {
      connection.close();
    } finally {
      hazelcast.shutdown();
    }
  }

  @Override
  public String toString() {
    return "GridClient(" + connection.self().name() + ")";
  }
}
