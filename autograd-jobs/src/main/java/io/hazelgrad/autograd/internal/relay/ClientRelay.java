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
 * A worker's service for thin clients that are in the middle of a graph: it hands on to them what
 * other workers say, and takes their part in backward passes, see {@link MemberParticipant}. The
 * map {@code hazelgrad.relays} says which worker relays for a client now.
 *
 * <p>Threads: safe.
 */
public final class ClientRelay {
  public static final String MAP = "hazelgrad.relays";

  /** A client asks for its letters. The first time it is answered at once, to say that it may. */
  static final String NEXT = "autograd.relay.next";

  /** A client answers a letter. */
  static final String ANSWER = "autograd.relay.answer";

  /** A worker says something to a client. */
  public static final String FORWARD = "autograd.relay.forward";

  /** How long a client's question stays, so that nothing waits longer for a worker that leaves. */
  private static final long STAY_MILLIS = 1000;

  /** How long another worker's word waits to be answered. */
  private static final long PATIENCE_MILLIS = 10_000;

  /** A client that has not asked for so long relays elsewhere, or not at all. */
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
    boolean isFirst = arguments.size() == 1 && arguments.get(0) instanceof Boolean first && first;
    if (isFirst) {
      clients.computeIfAbsent(caller.id(), id -> new RelayMailbox(caller));
      return map.setAsync(caller.id(), grid.self())
          .toCompletableFuture()
          .thenApply(nothing -> List.of());
    }
    CompletableFuture<List<@Nullable Object>> next = client(caller.id()).next();
    after(STAY_MILLIS, next, () -> next.complete(List.of()));
    return next;
  }

  /** Ends a future that is open for so long. */
  private void after(long millis, CompletableFuture<?> future, Runnable end) {
    ScheduledFuture<?> timer = grid.timer().schedule(end, millis, TimeUnit.MILLISECONDS);
    var unused = future.whenComplete((result, failure) -> timer.cancel(false));
  }

  private CompletableFuture<@Nullable Object> answer(
      List<@Nullable Object> arguments, Incoming request) {
    if (arguments.size() != 3 || !(arguments.get(0) instanceof Long number)) {
      throw new GridException(Status.BAD_VALUE, "no answer of a client: " + arguments);
    }
    client(request.call().caller().id())
        .answered(number, arguments.get(1), RelayFailure.read(arguments.get(2)));
    return CompletableFuture.completedFuture(null);
  }

  @SuppressWarnings("unchecked") // Lists of the wire have any elements.
  private CompletableFuture<@Nullable Object> forward(List<@Nullable Object> arguments) {
    if (arguments.size() != 3
        || !(arguments.get(0) instanceof Long id)
        || !(arguments.get(1) instanceof String service)
        || !(arguments.get(2) instanceof List<?> words)) {
      throw new GridException(Status.BAD_VALUE, "nothing to hand on: " + arguments);
    }
    CompletableFuture<@Nullable Object> answer = send(id, service, (List<@Nullable Object>) words);
    after(
        PATIENCE_MILLIS,
        answer,
        () ->
            answer.completeExceptionally(
                new GridException(
                    Status.TIMEOUT, "the client with id " + id + " did not answer " + service)));
    return answer;
  }

  /** Says something to a client; whoever asks must set an end. */
  public CompletableFuture<@Nullable Object> send(
      long id, String service, List<@Nullable Object> arguments) {
    try {
      return client(id).send(service, arguments);
    } catch (GridException e) {
      return CompletableFuture.failedFuture(e);
    }
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
      known.close(RelayMailbox.gone(client));
      var unused = map.removeAsync(client.id());
    }
  }

  /** Drops who relays elsewhere, and entries of clients whose relay died with them. */
  private void sweep() {
    for (RelayMailbox client : List.copyOf(clients.values())) {
      if (client.silentNanos() > SILENCE_NANOS) {
        clients.remove(client.client().id(), client);
        client.close(RelayMailbox.gone(client.client()));
        map.remove(client.client().id(), grid.self());
      }
    }
    Set<Long> entries = map.localKeySet();
    if (!entries.isEmpty()) {
      Map<Long, Worker> entered = grid.clients();
      entries.stream().filter(id -> !entered.containsKey(id)).forEach(map::delete);
    }
  }

  private void close() {
    clients.values().forEach(client -> client.close(left()));
    clients.clear();
  }

  private GridException left() {
    return new GridException(
        Status.WORKER_LOST, "worker " + grid.self().name() + " relays no more: it leaves the grid");
  }
}
