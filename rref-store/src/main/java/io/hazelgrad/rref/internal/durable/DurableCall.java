package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.object.OwnedObject;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A call to the owner of a durable object. If the owner is lost and cannot have run the call, the
 * call is sent to the next owner, within the same deadline. Threads: safe.
 */
public final class DurableCall<R extends @Nullable Object> {
  private final OwnerLookup lookup;
  private final RRefHandle handle;
  private final BiFunction<Worker, Duration, CompletableFuture<R>> send;
  private final boolean repeatable;
  private final boolean hasDeadline;
  private final long deadlineNanos;
  private final CompletableFuture<R> result;

  /** The call or the search that is under way. */
  private volatile @Nullable CompletableFuture<?> current;

  /**
   * Creates a call.
   *
   * @param repeatable whether two owners may run the call
   * @param result ends with the call; if something else ends it, the call ends, too
   * @param send calls one owner, with the time that is left
   */
  public DurableCall(
      OwnerLookup lookup,
      RRefHandle handle,
      Duration timeout,
      boolean repeatable,
      CompletableFuture<R> result,
      BiFunction<Worker, Duration, CompletableFuture<R>> send) {
    this.lookup = lookup;
    this.handle = handle;
    this.send = send;
    this.repeatable = repeatable;
    this.hasDeadline = !timeout.isZero();
    this.deadlineNanos = OwnerLookup.deadline(timeout);
    this.result = result;
  }

  /** Sends the call and returns the result. An invalid call throws here, as any call does. */
  public CompletableFuture<R> begin() {
    Worker owner = handle.owner();
    CompletableFuture<R> first;
    try {
      // A call to a worker that has left would fail as one that may have run; this one has not.
      first =
          lookup.isLiving(owner)
              ? send.apply(owner, left())
              : CompletableFuture.failedFuture(OwnedObject.moved(handle.id()));
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
              CompletableFuture<?> last = current;
              if (last != null) {
                last.cancel(false);
              }
            });
    return result;
  }

  private void follow(Worker owner, CompletableFuture<R> call) {
    continueAfter(
        call,
        (value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else if (isOwnerGone(failure)) {
            continueAfter(lookup.find(handle, owner, deadlineNanos), this::sendAgain);
          } else {
            result.completeExceptionally(failure);
          }
        });
  }

  /** Continues at the end of a call or a search; if the result has ended already, cancels it. */
  private <V> void continueAfter(
      CompletableFuture<V> next, BiConsumer<V, @Nullable Throwable> ended) {
    current = next;
    if (result.isDone()) {
      next.cancel(false);
    } else {
      var unused = next.whenComplete(ended);
    }
  }

  private boolean isOwnerGone(Throwable failure) {
    return Causes.of(failure) instanceof GridException known
        && known.status() == Status.WORKER_LOST
        && known.remote() == null
        && (repeatable || !known.mayHaveRun());
  }

  private void sendAgain(Worker owner, @Nullable Throwable notFound) {
    if (notFound != null) {
      result.completeExceptionally(notFound);
      return;
    }
    CompletableFuture<R> next;
    try {
      next = send.apply(owner, left());
    } catch (RuntimeException e) {
      next = CompletableFuture.failedFuture(e);
    }
    follow(owner, next);
  }

  /** Returns the time that is left, at least 1 ns, since zero means no deadline. */
  private Duration left() {
    return hasDeadline
        ? Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()))
        : Duration.ZERO;
  }
}
