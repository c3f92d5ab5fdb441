package io.hazelgrad.autograd.internal.context;

import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.internal.relay.ClientRelay;
import io.hazelgrad.autograd.internal.relay.RelayConnection;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to the workers and thin clients that contexts reach. A worker is called; a worker that
 * relays for it passes calls on to a client. Services added here run on both. Threads: safe.
 */
public final class ContextPeers {
  /** The time limit of each call to a peer. */
  public static final Duration DEADLINE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(ContextPeers.class);

  private final GridContext grid;
  private final @Nullable RelayConnection connection;
  private final IMap<Long, Worker> relays;

  /** Creates the peers; {@code connection} is that of a client to its relay, null for a worker. */
  public ContextPeers(GridContext grid, @Nullable RelayConnection connection) {
    this.grid = grid;
    this.connection = connection;
    this.relays = grid.hazelcast().getMap(ClientRelay.MAP);
  }

  /** Adds a service for {@link #call}, during start only. The handler must not block. */
  public void serve(String service, Function<List<@Nullable Object>, @Nullable Object> handler) {
    grid.handler(service, Handler.Lane.CONTROL, (arguments, request) -> handler.apply(arguments));
    if (connection != null) {
      connection.serve(service, handler);
    }
  }

  /** Calls a service of a worker, or of a client through its relay. */
  public <R> CompletableFuture<R> call(
      Worker to, String service, List<@Nullable Object> arguments, Duration timeout) {
    if (grid.directory().isMember(to)) {
      return grid.call(to, service, arguments, timeout);
    }
    return relays
        .getAsync(to.id())
        .toCompletableFuture()
        .thenCompose(
            relay -> {
              if (relay == null) {
                throw new GridException(
                    Status.WORKER_LOST, to.name() + " (id " + to.id() + ") is not in the grid");
              }
              List<@Nullable Object> request = Arrays.asList(to.id(), service, arguments);
              return grid.call(relay, ClientRelay.FORWARD, new ArrayList<>(request), timeout);
            });
  }

  /**
   * Calls a service on another thread, because this one may be bound to a context. Retries, so the
   * service must be idempotent. The result never fails; it says whether the call succeeded.
   */
  public CompletableFuture<Boolean> tell(Worker to, String service, List<Object> arguments) {
    // If the grid is closing, its background refuses work; its loss tells the others.
    return CompletableFuture.completedFuture(arguments)
        .thenComposeAsync(
            values ->
                grid.<@Nullable Object>retrying(
                    () -> call(to, service, new ArrayList<>(values), DEADLINE)),
            grid.background())
        .handle(
            (nothing, failure) -> {
              if (failure != null) {
                LOG.debug("{} did not reach {}", service, to.name(), failure);
              }
              return failure == null;
            });
  }

  /** Returns a living worker or client by id, or null. Cheap for workers that are known here. */
  public @Nullable Worker find(long id) {
    if (id == grid.self().id()) {
      return grid.self();
    }
    Worker worker = grid.directory().byId(id);
    return worker == null ? grid.directory().clients().get(id) : worker;
  }

  /** Returns whether a worker or client is in the grid. Cheap for workers. */
  public boolean isLiving(Worker peer) {
    return peer.id() == grid.self().id()
        || grid.directory().isLiving(peer)
        || (!grid.directory().isMember(peer) && grid.directory().clients().containsKey(peer.id()));
  }

  /**
   * Returns the member that acts for a worker or client in passes: its own, or that of its relay;
   * null if there is none now. This client waits for its own relay until the timeout.
   */
  public @Nullable UUID host(Worker peer, Duration timeout) {
    if (grid.directory().isMember(peer)) {
      return peer.incarnation();
    }
    Worker relay =
        connection != null && peer.id() == grid.self().id()
            ? grid.waiting(() -> connection.relay(timeout))
            : relays.get(peer.id());
    return relay == null || !grid.directory().isMember(relay) ? null : relay.incarnation();
  }
}
