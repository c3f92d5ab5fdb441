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
 * A client's end of its {@link ClientRelay}: asks a worker for letters as long as contexts are
 * open, and answers them as a worker answers calls. If the worker leaves or does not answer,
 * another one relays.
 *
 * <p>Threads: safe; none waits.
 */
public final class RelayConnection {
  private static final Logger LOG = LoggerFactory.getLogger(RelayConnection.class);
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration ANSWER_DEADLINE = Duration.ofSeconds(10);
  private static final long PAUSE_MILLIS = 100;

  /** So long it goes on after the last context: the next one is often there soon. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final GridContext grid;
  private final BooleanSupplier isNeeded;
  private final Map<String, Function<List<@Nullable Object>, @Nullable Object>> services =
      new HashMap<>();

  /** Guarded by this, as what follows. Incomplete while no worker relays. */
  private CompletableFuture<Worker> relay = new CompletableFuture<>();

  private boolean runs;
  private long neededNanos;

  /**
   * Makes the link of a client.
   *
   * @param isNeeded whether a context is open
   */
  public RelayConnection(GridContext grid, BooleanSupplier isNeeded) {
    this.grid = grid;
    this.isNeeded = isNeeded;
    grid.onClose(this::close);
  }

  /** Adds what the client answers. Only while starting. */
  public void serve(String service, Function<List<@Nullable Object>, @Nullable Object> handler) {
    services.put(service, handler);
  }

  /** A context was opened. */
  public synchronized void use() {
    neededNanos = System.nanoTime();
    if (!runs) {
      runs = true;
      inBackground(this::connect);
    }
  }

  /**
   * Returns the worker that relays now; waits for one.
   *
   * @return null if there is none in time
   */
  public @Nullable Worker relay(Duration patience) {
    CompletableFuture<Worker> found;
    synchronized (this) {
      found = relay;
    }
    try {
      return found.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GridException(Status.CANCELLED, "interrupted while no worker relayed", e);
    }
  }

  private void connect() {
    try {
      List<Worker> workers = new ArrayList<>(grid.living().values());
      if (workers.isEmpty()) {
        throw new GridException(Status.WORKER_LOST, "no worker is in the grid");
      }
      ask(workers.get(ThreadLocalRandom.current().nextInt(workers.size())), true);
    } catch (RuntimeException e) {
      LOG.debug("no worker relays for now", e);
      lost();
    }
  }

  private void ask(Worker worker, boolean isFirst) {
    var unused =
        grid.<List<@Nullable Object>>call(
                worker, ClientRelay.NEXT, new ArrayList<>(List.of(isFirst)), DEADLINE)
            .whenComplete((letters, failure) -> came(worker, letters, failure));
  }

  private void came(
      Worker worker, @Nullable List<@Nullable Object> letters, @Nullable Throwable failure) {
    if (letters == null) {
      LOG.debug("worker {} does not relay any more", worker.name(), failure);
      lost();
      return;
    }
    synchronized (this) {
      relay.complete(worker);
    }
    if (goesOn()) {
      try {
        ask(worker, false);
      } catch (RuntimeException e) { // It has left.
        LOG.debug("worker {} does not relay any more", worker.name(), e);
        lost();
      }
    }
    for (Object letter : letters) {
      inBackground(() -> answer(worker, letter));
    }
  }

  private synchronized boolean goesOn() {
    long now = System.nanoTime();
    if (isNeeded.getAsBoolean()) {
      neededNanos = now;
    }
    if (grid.ended() != null) { // Here or in close(): what waits for a relay has ended.
      runs = false;
    } else if (now - neededNanos > LINGER_NANOS) {
      runs = false;
      forget();
    }
    return runs;
  }

  /** Called under the lock. No worker relays from now on, until another one does. */
  private void forget() {
    if (relay.isDone() && grid.ended() == null) {
      relay = new CompletableFuture<>();
    }
  }

  /** Looks for another relay, after a moment. */
  private void lost() {
    synchronized (this) {
      forget();
    }
    if (goesOn()) {
      try {
        var unused =
            grid.timer()
                .schedule(() -> inBackground(this::connect), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("no relay is looked for any more, because this client is closing", e);
      }
    }
  }

  private void inBackground(Runnable work) {
    try {
      grid.background().execute(work);
    } catch (RejectedExecutionException e) {
      LOG.debug("this client is closing", e);
    }
  }

  private void answer(Worker worker, @Nullable Object letter) {
    if (!(letter instanceof List<?> parts)
        || parts.size() != 3
        || !(parts.get(0) instanceof Long number)
        || !(parts.get(1) instanceof String service)
        || !(parts.get(2) instanceof List<?> words)) {
      LOG.warn("worker {} sent what is no letter: {}", worker.name(), letter);
      return;
    }
    Object result = null;
    GridException failure = null;
    try {
      result = serve(service, new ArrayList<>(words));
    } catch (GridException e) {
      failure = e;
    } catch (RuntimeException | Error e) { // Such as no native library for the arithmetic.
      failure = new GridException(Status.PASS_FAILED, "client " + grid.self().name() + ": " + e, e);
    }
    List<@Nullable Object> answer = Arrays.asList(number, result, RelayFailure.write(failure));
    try {
      var unused =
          grid.retrying(
                  () ->
                      grid.call(
                          worker, ClientRelay.ANSWER, new ArrayList<>(answer), ANSWER_DEADLINE))
              .whenComplete(
                  (nothing, unsent) -> {
                    if (unsent != null) { // Whoever asked hears that the relay is lost.
                      LOG.debug("worker {} did not take an answer", worker.name(), unsent);
                    }
                  });
    } catch (GridException e) {
      LOG.debug("worker {} does not take an answer", worker.name(), e);
    }
  }

  private @Nullable Object serve(String service, List<@Nullable Object> arguments) {
    Function<List<@Nullable Object>, @Nullable Object> handler = services.get(service);
    if (handler == null) {
      throw new GridException(Status.UNKNOWN_FUNCTION, "a client has no service " + service);
    }
    return handler.apply(arguments);
  }

  private synchronized void close() {
    runs = false;
    GridException ended = grid.ended();
    relay.completeExceptionally(
        ended == null ? new GridException(Status.CLOSED, "this client is closed") : ended);
  }
}
