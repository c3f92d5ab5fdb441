package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A call to the owner of a durable object, sent again to the next owner if the one that it was sent
 * to is gone and cannot have run it. All within one deadline.
 *
 * <p>Threads: safe.
 *
 * @param <R> the type of the result
 */
public final class DurableCall<R extends @Nullable Object> {
  /** Calls one owner, with the time that is left. */
  public interface Send<R extends @Nullable Object>
      extends BiFunction<Worker, Duration, CompletableFuture<R>> {}

  private final OwnerLookup whereabouts;
  private final RRefHandle handle;
  private final Send<R> send;
  private final boolean repeatable;
  private final boolean hasDeadline;
  private final long deadlineNanos;
  private final CompletableFuture<R> result;

  /** What is under way now. Guarded by this. */
  private @Nullable CompletableFuture<?> current;

  /**
   * Makes a call that is not begun.
   *
   * @param repeatable whether it does no harm if two owners run it
   * @param result what ends with the call; if something else ends it, the call ends too
   */
  public DurableCall(
      OwnerLookup whereabouts,
      RRefHandle handle,
      Duration timeout,
      boolean repeatable,
      CompletableFuture<R> result,
      Send<R> send) {
    this.whereabouts = whereabouts;
    this.handle = handle;
    this.send = send;
    this.repeatable = repeatable;
    this.hasDeadline = !timeout.isZero();
    this.deadlineNanos = OwnerLookup.deadline(timeout);
    this.result = result;
  }

  /**
   * Begins. What is wrong with the call is thrown here, as by any call.
   *
   * @return the result
   */
  public CompletableFuture<R> begin() {
    Worker owner = handle.owner();
    CompletableFuture<R> first;
    try {
      // What is sent to a worker that has left might have run, for all that could be known.
      first =
          whereabouts.isLiving(owner)
              ? send.apply(owner, left())
              : CompletableFuture.failedFuture(DurableObject.moved(handle.id()));
    } catch (GridException e) {
      if (!isOwnerGone(e)) {
        throw e;
      }
      first = CompletableFuture.failedFuture(e);
    }
    follow(owner, first);
    var unused =
        result.whenComplete(
            (value, failure) -> {
              CompletableFuture<?> last;
              synchronized (this) {
                last = current;
              }
              if (last != null) {
                last.cancel(false);
              }
            });
    return result;
  }

  private void follow(Worker owner, CompletableFuture<R> call) {
    if (!isCurrent(call)) {
      return;
    }
    var unused =
        call.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                result.complete(value);
              } else if (isOwnerGone(failure)) {
                search(owner);
              } else {
                result.completeExceptionally(failure);
              }
            });
  }

  /** Remembers what is under way; if the result has ended already, that ends too. */
  private boolean isCurrent(CompletableFuture<?> next) {
    synchronized (this) {
      current = next;
    }
    if (result.isDone()) {
      next.cancel(false);
      return false;
    }
    return true;
  }

  private boolean isOwnerGone(Throwable failure) {
    return Causes.of(failure) instanceof GridException known
        && known.status() == Status.WORKER_LOST
        && known.remote() == null
        && (repeatable || !known.mayHaveRun());
  }

  private void search(Worker gone) {
    CompletableFuture<Worker> found = whereabouts.find(handle, gone, deadlineNanos);
    if (!isCurrent(found)) {
      return;
    }
    var unused =
        found.whenComplete(
            (owner, failure) -> {
              if (failure == null) {
                sendAgain(owner);
              } else {
                result.completeExceptionally(failure);
              }
            });
  }

  private void sendAgain(Worker owner) {
    CompletableFuture<R> next;
    try {
      next = send.apply(owner, left());
    } catch (RuntimeException e) {
      next = CompletableFuture.failedFuture(e);
    }
    follow(owner, next);
  }

  /** Returns the time that is left; zero would mean no deadline. */
  private Duration left() {
    return hasDeadline
        ? Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()))
        : Duration.ZERO;
  }
}
