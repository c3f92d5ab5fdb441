package io.hazelgrad.grid;

import com.hazelcast.spi.exception.RetryableException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends control messages again that failed on their way. They are idempotent, so one that did
 * arrive does no harm. Hazelcast repeats its own operations much longer; this is for what reaches
 * us in spite of that: up to five more times, after 50, 100, 200, 400 and 800 ms.
 *
 * <p>Threads: safe. A message costs one stage more; time passes only after a failure.
 */
final class Retries {
  static final int MOST = 5;
  private static final long FIRST_PAUSE_MILLIS = 50;

  /** A message between two attempts. */
  private static final class Paused<T extends @Nullable Object> {
    final CompletableFuture<T> result = new CompletableFuture<>();
  }

  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final Set<Paused<?>> paused = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Retries(ScheduledExecutorService timer, Executor executor) {
    this.timer = timer;
    this.executor = executor;
  }

  /** Sends; {@code send} gets the number of the attempt, from zero. */
  <T extends @Nullable Object> CompletableFuture<T> run(IntFunction<CompletionStage<T>> send) {
    CompletableFuture<T> first = attempt(send, 0);
    return first.isDone() && !first.isCompletedExceptionally()
        ? first
        : first.exceptionallyCompose(failure -> again(send, 1, failure));
  }

  private static <T extends @Nullable Object> CompletableFuture<T> attempt(
      IntFunction<CompletionStage<T>> send, int number) {
    try {
      return send.apply(number).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T extends @Nullable Object> CompletableFuture<T> again(
      IntFunction<CompletionStage<T>> send, int number, Throwable failure) {
    if (number > MOST || closed || !isWorthAnother(failure)) {
      return CompletableFuture.failedFuture(failure);
    }
    Paused<T> pause = new Paused<>();
    paused.add(pause);
    try {
      var unused =
          timer.schedule(
              () -> executor.execute(() -> goOn(send, number, pause)),
              FIRST_PAUSE_MILLIS << (number - 1),
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      paused.remove(pause);
      return CompletableFuture.failedFuture(failure);
    }
    if (closed) { // Here or in close(): one of the two sees it.
      pause.result.completeExceptionally(failure);
    }
    return pause.result;
  }

  private <T extends @Nullable Object> void goOn(
      IntFunction<CompletionStage<T>> send, int number, Paused<T> pause) {
    paused.remove(pause);
    var unused =
        attempt(send, number)
            .exceptionallyCompose(failure -> again(send, number + 1, failure))
            .whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    pause.result.complete(value);
                  } else {
                    pause.result.completeExceptionally(failure);
                  }
                });
  }

  /** Whether the message may get through the next time. */
  private static boolean isWorthAnother(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof GridException known
        ? switch (known.status()) {
          case INTENTIONAL_FAILURE, TIMEOUT, REJECTED -> known.remote() == null;
          default -> false;
        }
        : cause instanceof RetryableException || cause instanceof TargetDisconnectedException;
  }

  /** Ends what waits to be sent again. */
  void close() {
    closed = true;
    paused.forEach(
        pause ->
            pause.result.completeExceptionally(
                new GridException(Status.CLOSED, "the grid was closed before the next attempt")));
  }
}
