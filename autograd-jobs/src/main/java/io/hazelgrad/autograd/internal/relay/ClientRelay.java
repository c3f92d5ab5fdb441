package io.hazelgrad.autograd.internal.relay;

import com.hazelcast.map.IMap;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A worker's service for thin clients, which cannot be called: it passes requests of other workers
 * on to a client, and the client's replies back. The map {@code hazelgrad.relays} holds the relay
 * of each client. Threads: safe.
 */
public final class ClientRelay {
  public static final String MAP = "hazelgrad.relays";

  /** Fetches a client's requests. The first fetch registers the client and returns at once. */
  static final String NEXT = "autograd.relay.next";

  static final String ANSWER = "autograd.relay.answer";

  /** Passes a request of a worker on to a client. */
  public static final String FORWARD = "autograd.relay.forward";

  /** The longest time of a fetch, so that a client notices soon that its relay leaves. */
  private static final long FETCH_MILLIS = 1000;

  /** The longest time of a request of another worker. */
  private static final long REQUEST_MILLIS = 10_000;

  /** A client that has not fetched for this time has another relay, or none. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final GridContext grid;
  private final IMap<Long, Worker> map;
  private final Map<Long, RelayMailbox> clients = new ConcurrentHashMap<>();

  public ClientRelay(GridContext grid) {
    this.grid = grid;
    this.map = grid.hazelcast().getMap(MAP);
    grid.asyncHandler(NEXT, this::next);
    grid.asyncHandler(ANSWER, this::answer);
    grid.asyncHandler(FORWARD, (arguments, request) -> forward(arguments));
    grid.onClientGone(this::gone);
    grid.every(grid.reconcileEvery(), this::sweep);
    grid.onClose(this::close);
  }

  private CompletableFuture<List<@Nullable Object>> next(
      List<@Nullable Object> arguments, Incoming request) {
    Worker caller = request.call().caller();
    if (arguments.size() == 1 && arguments.get(0) instanceof Boolean first && first) {
      clients.computeIfAbsent(caller.id(), id -> new RelayMailbox(caller));
      return map.setAsync(caller.id(), grid.self())
          .toCompletableFuture()
          .thenApply(nothing -> List.of());
    }
    CompletableFuture<List<@Nullable Object>> next = client(caller.id()).next();
    after(FETCH_MILLIS, next, () -> next.complete(List.of()));
    return next;
  }

  /** Ends a future that is still open after some time. */
  private void after(long millis, CompletableFuture<?> future, Runnable end) {
    ScheduledFuture<?> timer = grid.timer().schedule(end, millis, TimeUnit.MILLISECONDS);
    var unused = future.whenComplete((result, failure) -> timer.cancel(false));
  }

  private CompletableFuture<@Nullable Object> answer(
      List<@Nullable Object> arguments, Incoming request) {
    if (arguments.size() != 3 || !(arguments.get(0) instanceof Long number)) {
      throw new GridException(Status.BAD_VALUE, "expected the reply of a client, got " + arguments);
    }
    client(request.call().caller().id())
        .replied(number, arguments.get(1), failure(arguments.get(2)));
    return CompletableFuture.completedFuture(null);
  }

  /** Reads a client's error: status, message, and whether the work may have run. */
  private static @Nullable GridException failure(@Nullable Object written) {
    if (written == null) {
      return null;
    }
    if (written instanceof List<?> parts
        && parts.size() == 3
        && parts.get(0) instanceof String name
        && parts.get(1) instanceof String message
        && parts.get(2) instanceof Boolean mayHaveRun) {
      Status status = Status.byName(name);
      if (status != null) {
        return new GridException(status, message, mayHaveRun, null, null);
      }
    }
    throw new GridException(Status.BAD_VALUE, "expected the error of a client, got " + written);
  }

  @SuppressWarnings("unchecked") // Lists of the wire have any elements.
  private CompletableFuture<@Nullable Object> forward(List<@Nullable Object> arguments) {
    if (arguments.size() != 3
        || !(arguments.get(0) instanceof Long id)
        || !(arguments.get(1) instanceof String service)
        || !(arguments.get(2) instanceof List<?> request)) {
      throw new GridException(
          Status.BAD_VALUE, "expected a request for a client, got " + arguments);
    }
    CompletableFuture<@Nullable Object> answer =
        send(id, service, (List<@Nullable Object>) request);
    after(
        REQUEST_MILLIS,
        answer,
        () ->
            answer.completeExceptionally(
                new GridException(
                    Status.TIMEOUT, "the client with id " + id + " did not answer " + service)));
    return answer;
  }

  /** Sends a client a request; the caller must set a time limit. */
  public CompletableFuture<@Nullable Object> send(
      long id, String service, List<@Nullable Object> arguments) {
    try {
      return client(id).send(service, arguments);
    } catch (GridException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Returns whether this worker relays for a client. */
  public boolean relaysFor(long id) {
    return clients.containsKey(id);
  }

  private RelayMailbox client(long id) {
    RelayMailbox client = clients.get(id);
    if (client == null) {
      throw new GridException(
          Status.WORKER_LOST,
          "worker " + grid.self().name() + " does not relay for the client with id " + id);
    }
    return client;
  }

  private void gone(Worker client) {
    RelayMailbox known = clients.remove(client.id());
    if (known != null) {
      known.closeAsGone();
      var unused = map.removeAsync(client.id());
    }
  }

  /** Drops clients with another relay, and map entries of clients that are gone. */
  private void sweep() {
    for (RelayMailbox client : List.copyOf(clients.values())) {
      if (client.silentNanos() > SILENCE_NANOS) {
        clients.remove(client.client().id(), client);
        client.closeAsGone();
        map.remove(client.client().id(), grid.self());
      }
    }
    Set<Long> entries = map.localKeySet();
    if (!entries.isEmpty()) {
      Map<Long, Worker> entered = grid.directory().clients();
      entries.stream().filter(id -> !entered.containsKey(id)).forEach(map::delete);
    }
  }

  private void close() {
    GridException left =
        new GridException(
            Status.WORKER_LOST,
            "worker " + grid.self().name() + " relays no more: it leaves the grid");
    List<RelayMailbox> all = List.copyOf(clients.values());
    clients.clear(); // First: who hears of the end asks whether this worker still relays.
    all.forEach(client -> client.close(left));
  }
}
