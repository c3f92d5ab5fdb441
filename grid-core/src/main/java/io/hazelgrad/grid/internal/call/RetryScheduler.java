package io.hazelgrad.grid.internal.call;

import com.hazelcast.spi.exception.RetryableException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.Causes;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends control messages again that failed on their way. They are idempotent, so one that did
 * arrive does no harm. Hazelcast repeats its own operations much longer; this is for what reaches
 * us in spite of that: up to five more times, after 50, 100, 200, 400 and 800 ms. What a member
 * refused because it lacks the quorum, as one does that is going down or has just come, is sent
 * again for 15 s. While this worker lacks the quorum itself it is suspended, and attempts do not
 * count: messages wait until it resumes, or until it is fenced, which ends all waiting.
 *
 * <p>Threads: safe. A message costs one stage more; time passes only after a failure.
 */
public final class RetryScheduler {
  static final int MOST = 5;
  private static final int MOST_WITHOUT_QUORUM = 22;
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final int MOST_DOUBLINGS = 4;

  /** A message between two attempts. */
  private static final class Paused<T extends @Nullable Object> {
    final CompletableFuture<T> result = new CompletableFuture<>();
  }

  private final ScheduledExecutorService timer;
  private final Executor executor;
  private final Set<Paused<?>> paused = ConcurrentHashMap.newKeySet();

  private volatile boolean suspended;

  /** Why nothing is sent any more; null while it is. */
  private volatile @Nullable GridException closed;

  public RetryScheduler(ScheduledExecutorService timer, Executor executor) {
    this.timer = timer;
    this.executor = executor;
  }

  /** Sends; {@code send} gets the number of the attempt, from zero. */
  public <T extends @Nullable Object> CompletableFuture<T> run(
      IntFunction<CompletionStage<T>> send) {
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
    GridException end = closed;
    if (end != null || number > attemptsAfter(failure)) {
      return CompletableFuture.failedFuture(end != null && isForQuorum(failure) ? end : failure);
    }
    Paused<T> pause = new Paused<>();
    paused.add(pause);
    try {
      var unused =
          timer.schedule(
              () -> executor.execute(() -> goOn(send, number, pause)),
              FIRST_PAUSE_MILLIS << Math.min(number - 1, MOST_DOUBLINGS),
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      paused.remove(pause);
      return CompletableFuture.failedFuture(failure);
    }
    end = closed;
    if (end != null) { // Here or in close(): one of the two sees it.
      pause.result.completeExceptionally(end);
    }
    return pause.result;
  }

  private <T extends @Nullable Object> void goOn(
      IntFunction<CompletionStage<T>> send, int number, Paused<T> pause) {
    paused.remove(pause);
    int next = suspended ? Math.min(number + 1, MOST) : number + 1;
    var unused =
        attempt(send, number)
            .exceptionallyCompose(failure -> again(send, next, failure))
            .whenComplete(into(pause.result));
  }

  /** Returns a step that completes a result as another stage ends. */
  static <T extends @Nullable Object> BiConsumer<T, @Nullable Throwable> into(
      CompletableFuture<T> result) {
    return (value, failure) -> {
      if (failure == null) {
        result.complete(value);
      } else {
        result.completeExceptionally(failure);
      }
    };
  }

  /** Returns how often a message that failed so is sent again. */
  private static int attemptsAfter(Throwable failure) {
    if (isForQuorum(failure)) {
      return MOST_WITHOUT_QUORUM;
    }
    return isWorthAnother(Causes.of(failure)) ? MOST : 0;
  }

  private static boolean isForQuorum(Throwable failure) {
    return Causes.of(failure) instanceof SplitBrainProtectionException;
  }

  /** Returns whether the message may get through the next time. */
  private static boolean isWorthAnother(Throwable cause) {
    return cause instanceof GridException known
        ? switch (known.status()) {
          case INTENTIONAL_FAILURE, TIMEOUT, REJECTED -> known.remote() == null;
          default -> false;
        }
        : cause instanceof RetryableException || cause instanceof TargetDisconnectedException;
  }

  /** Stops counting attempts, so that no message is given up. The pauses grow as before. */
  public void suspend() {
    suspended = true;
  }

  /** Counts attempts again. */
  public void resume() {
    suspended = false;
  }

  /** Ends what waits to be sent again, with the reason; the first one stays. */
  public void close(GridException reason) {
    if (closed == null) {
      closed = reason;
    }
    paused.forEach(pause -> pause.result.completeExceptionally(reason));
  }
}
