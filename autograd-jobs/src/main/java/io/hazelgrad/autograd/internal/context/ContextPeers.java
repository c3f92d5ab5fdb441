package io.hazelgrad.autograd.internal.context;

import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.internal.pass.PassDeadline;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Those that contexts reach: workers, which are called, and thin clients, to whom a worker relays
 * what is said. What is served here is served on both.
 *
 * <p>Threads: safe.
 */
public final class ContextPeers {
  private final GridContext grid;
  private final @Nullable RelayConnection link;
  private final IMap<Long, Worker> relays;

  /**
   * Makes the view of a worker or client.
   *
   * @param link the end of the relay, of a client; null for a worker
   */
  public ContextPeers(GridContext grid, @Nullable RelayConnection link) {
    this.grid = grid;
    this.link = link;
    this.relays = grid.hazelcast().getMap(ClientRelay.MAP);
  }

  /** Adds a service that is reached by {@link #call}. Only while starting. It never blocks. */
  void serve(String service, Function<List<@Nullable Object>, @Nullable Object> handler) {
    grid.handler(service, Handler.Lane.CONTROL, (arguments, request) -> handler.apply(arguments));
    if (link != null) {
      link.serve(service, handler);
    }
  }

  /** Calls a service of a worker, or of a client by way of its relay. */
  <R> CompletableFuture<R> call(
      Worker to, String service, List<@Nullable Object> arguments, Duration timeout) {
    if (grid.isMember(to)) {
      return grid.call(to, service, arguments, timeout);
    }
    return relays
        .getAsync(to.id())
        .toCompletableFuture()
        .thenCompose(
            relay ->
                relay == null
                    ? CompletableFuture.failedFuture(lost(to))
                    : grid.call(
                        relay,
                        ClientRelay.FORWARD,
                        new ArrayList<>(Arrays.asList(to.id(), service, arguments)),
                        timeout));
  }

  private static GridException lost(Worker worker) {
    return new GridException(
        Status.WORKER_LOST, worker.name() + " (id " + worker.id() + ") is not in the grid");
  }

  /** Returns a living worker or client by id, or null. Cheap for workers met before. */
  public @Nullable Worker find(long id) {
    if (id == grid.self().id()) {
      return grid.self();
    }
    Worker worker = grid.byId(id);
    return worker == null ? grid.clients().get(id) : worker;
  }

  /** Returns whether a worker or client is in the grid. Cheap for workers. */
  public boolean isLiving(Worker peer) {
    return peer.id() == grid.self().id()
        || grid.isLiving(peer)
        || (!grid.isMember(peer) && grid.clients().containsKey(peer.id()));
  }

  /** Returns all living workers and clients by id, read anew: complete, but not cheap. */
  public Map<Long, Worker> living() {
    Map<Long, Worker> living = new HashMap<>(grid.clients());
    living.putAll(grid.living());
    return living;
  }

  /**
   * Returns the member that acts for a worker or client in passes: its own, or its relay's.
   *
   * @param deadline until when this client waits for its own relay
   * @return null if there is none now; another one may relay soon
   */
  public @Nullable UUID host(Worker peer, PassDeadline deadline) {
    if (grid.isMember(peer)) {
      return peer.incarnation();
    }
    Worker relay =
        link != null && peer.id() == grid.self().id()
            ? grid.waiting(() -> link.relay(deadline.left()))
            : relays.get(peer.id());
    return relay == null || !grid.isMember(relay) ? null : relay.incarnation();
  }
}
