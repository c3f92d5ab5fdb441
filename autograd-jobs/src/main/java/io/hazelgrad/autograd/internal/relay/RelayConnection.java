package io.hazelgrad.autograd.internal.relay;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection to its {@link ClientRelay}: fetches requests from a worker as long as
 * contexts are open, and handles them as a worker handles calls. If the worker leaves or does not
 * reply, the client chooses another one. Threads: safe; only {@link #relay} blocks.
 */
public final class RelayConnection {
  private static final Logger LOG = LoggerFactory.getLogger(RelayConnection.class);
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration REPLY_DEADLINE = Duration.ofSeconds(10);
  private static final long PAUSE_MILLIS = 100;

  /** The time that fetching continues after the last context: the next one often follows soon. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final GridContext grid;
  private final BooleanSupplier isNeeded;
  private final Map<String, Function<List<@Nullable Object>, @Nullable Object>> services =
      new HashMap<>();

  /** Incomplete while no worker relays. Guarded by this, as the fields below. */
  private CompletableFuture<Worker> relay = new CompletableFuture<>();

  private boolean runs;
  private long neededNanos;

  /** Creates the connection of a client; {@code isNeeded} says whether a context is open. */
  public RelayConnection(GridContext grid, BooleanSupplier isNeeded) {
    this.grid = grid;
    this.isNeeded = isNeeded;
    grid.onClose(this::close);
  }

  /** Adds a service of the client, during start only. */
  public void serve(String service, Function<List<@Nullable Object>, @Nullable Object> handler) {
    services.put(service, handler);
  }

  /** Starts to fetch, because a context was opened. */
  public synchronized void use() {
    neededNanos = System.nanoTime();
    if (!runs) {
      runs = true;
      inBackground(this::connect);
    }
  }

  /** Returns the worker that relays; null if there is none within {@code timeout}. */
  public @Nullable Worker relay(Duration timeout) {
    CompletableFuture<Worker> found;
    synchronized (this) {
      found = relay;
    }
    try {
      return found.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GridException(Status.CANCELLED, "interrupted while no worker relayed", e);
    }
  }

  private void connect() {
    try {
      List<Worker> workers = new ArrayList<>(grid.directory().living().values());
      if (workers.isEmpty()) {
        throw new GridException(Status.WORKER_LOST, "no worker is in the grid");
      }
      fetch(workers.get(ThreadLocalRandom.current().nextInt(workers.size())), true);
    } catch (RuntimeException e) {
      LOG.debug("no worker relays for now", e);
      lost();
    }
  }

  private void fetch(Worker worker, boolean isFirst) {
    var unused =
        grid.<List<@Nullable Object>>tryCall(
                worker, ClientRelay.NEXT, new ArrayList<>(List.of(isFirst)), DEADLINE)
            .whenComplete((requests, failure) -> fetched(worker, requests, failure));
  }

  private void fetched(
      Worker worker, @Nullable List<@Nullable Object> requests, @Nullable Throwable failure) {
    if (requests == null) {
      LOG.debug("worker {} does not relay any more", worker.name(), failure);
      lost();
      return;
    }
    synchronized (this) {
      relay.complete(worker);
    }
    if (continues()) {
      fetch(worker, false);
    }
    requests.forEach(request -> inBackground(() -> handle(worker, request)));
  }

  private synchronized boolean continues() {
    long now = System.nanoTime();
    if (isNeeded.getAsBoolean()) {
      neededNanos = now;
    }
    if (grid.ended() != null) { // close() ends all waits for a relay.
      runs = false;
    } else if (now - neededNanos > LINGER_NANOS) {
      runs = false;
      forget();
    }
    return runs;
  }

  /** Forgets the relay. The caller holds the lock. */
  private void forget() {
    if (relay.isDone() && grid.ended() == null) {
      relay = new CompletableFuture<>();
    }
  }

  /** Connects to another relay after a pause. */
  private void lost() {
    synchronized (this) {
      forget();
    }
    if (continues()) {
      CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, grid.background())
          .execute(this::connect);
    }
  }

  private void inBackground(Runnable work) {
    try {
      grid.background().execute(work);
    } catch (RejectedExecutionException e) {
      LOG.debug("this client is closing", e);
    }
  }

  private void handle(Worker worker, @Nullable Object request) {
    if (!(request instanceof List<?> parts)
        || parts.size() != 3
        || !(parts.get(0) instanceof Long number)
        || !(parts.get(1) instanceof String service)
        || !(parts.get(2) instanceof List<?> arguments)) {
      LOG.warn("worker {} sent what is no request: {}", worker.name(), request);
      return;
    }
    Object result = null;
    GridException failure = null;
    try {
      Function<List<@Nullable Object>, @Nullable Object> handler = services.get(service);
      if (handler == null) {
        throw new GridException(Status.UNKNOWN_FUNCTION, "a client has no service " + service);
      }
      result = handler.apply(new ArrayList<>(arguments));
    } catch (GridException e) {
      failure = e;
    } catch (RuntimeException | Error e) { // For example a missing native library.
      failure = new GridException(Status.PASS_FAILED, "client " + grid.self().name() + ": " + e, e);
    }
    List<Object> error =
        failure == null
            ? null
            : List.of(
                failure.status().name(),
                String.valueOf(failure.getMessage()),
                failure.mayHaveRun());
    List<@Nullable Object> reply = Arrays.asList(number, result, error);
    var unused =
        grid.retrying(
                () -> grid.call(worker, ClientRelay.ANSWER, new ArrayList<>(reply), REPLY_DEADLINE))
            .whenComplete(
                (nothing, unsent) -> {
                  if (unsent != null) { // The requester gets the loss of the relay as its error.
                    LOG.debug("worker {} did not take a reply", worker.name(), unsent);
                  }
                });
  }

  private synchronized void close() {
    runs = false;
    GridException ended = grid.ended();
    relay.completeExceptionally(
        ended == null ? new GridException(Status.CLOSED, "this client is closed") : ended);
  }
}
