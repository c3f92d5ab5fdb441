package io.hazelgrad.grid.internal.call;

import io.hazelgrad.grid.Cancellation;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.concurrent.Permit;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A future of the grid. Waiting for it, or for one derived from it, inside a called function gives
 * the function's permit up meanwhile. Stages without an executor of their own run on the grid's.
 */
public final class CallFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  private final Executor executor;
  private final @Nullable ClientCall<?> call;

  public CallFuture(Executor executor) {
    this(executor, null);
  }

  /** Makes the future of a call, which hears when somebody else completes it, as by cancelling. */
  CallFuture(Executor executor, @Nullable ClientCall<?> call) {
    this.executor = executor;
    this.call = call;
  }

  @Override
  public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
    return new CallFuture<>(executor);
  }

  @Override
  public Executor defaultExecutor() {
    return executor;
  }

  /**
   * Completes it for the call itself. What the callee's function returned is what the function's
   * type says, or the caller lied about it with a cast; then it learns by a ClassCastException, as
   * with any generic type.
   */
  @SuppressWarnings("unchecked")
  boolean endWith(@Nullable Object value) {
    return super.complete((T) value);
  }

  /** Completes it for the call itself. */
  boolean fail(Throwable failure) {
    return super.completeExceptionally(failure);
  }

  @Override
  public boolean complete(T value) {
    return taken(super.complete(value));
  }

  @Override
  public boolean completeExceptionally(Throwable failure) {
    return taken(super.completeExceptionally(failure));
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean done = isDone();
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (!done) { // Or somebody else was first: then this does nothing.
      taken(cancelled);
    }
    return cancelled;
  }

  private boolean taken(boolean done) {
    if (done && call != null) {
      call.taken();
    }
    return done;
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    Permit held = isDone() ? null : Permit.pause();
    try {
      return super.get();
    } finally {
      Permit.resume(held);
    }
  }

  @Override
  public T get(long time, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    Permit held = isDone() ? null : Permit.pause();
    try {
      return super.get(time, unit);
    } finally {
      Permit.resume(held);
    }
  }

  @Override
  public T join() {
    Permit held = isDone() ? null : Permit.pause();
    try {
      return super.join();
    } finally {
      Permit.resume(held);
    }
  }

  /**
   * Cancels a call and returns the effect.
   *
   * @throws GridException BAD_ARGUMENT for a future that is not of a call
   */
  public static CompletableFuture<Cancellation> cancel(CompletableFuture<?> future) {
    ClientCall<?> call = future instanceof CallFuture<?> known ? known.call : null;
    if (call == null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "only a call can be cancelled so, give the very future that async(...) returned: "
              + future);
    }
    return call.cancel();
  }

  /** Waits until any future has ended; false if it has not after so many nanoseconds. */
  public static boolean awaitEnd(CompletableFuture<?> future, long nanos) {
    Permit held = future.isDone() ? null : Permit.pause();
    try {
      var unused = future.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException | CancellationException e) {
      return true; // The caller looks at the failure itself.
    } catch (InterruptedException e) {
      throw ExceptionMapper.interrupted(e);
    } finally {
      Permit.resume(held);
    }
  }

  /** Waits for any future as a blocking call does: what it throws is a GridException. */
  public static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    Permit held = future.isDone() ? null : Permit.pause();
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw ExceptionMapper.here(e.getCause() == null ? e : e.getCause());
    } catch (CancellationException e) {
      throw new GridException(Status.CANCELLED, "the call was cancelled", true, null, e);
    } catch (InterruptedException e) {
      throw ExceptionMapper.interrupted(e);
    } finally {
      Permit.resume(held);
    }
  }
}
