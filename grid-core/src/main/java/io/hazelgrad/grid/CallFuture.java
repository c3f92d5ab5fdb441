package io.hazelgrad.grid;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A future of the grid. Waiting for it, or for one derived from it, inside a called function gives
 * the function's permit up meanwhile. Stages without an executor of their own run on the grid's.
 */
final class CallFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  private final Executor executor;

  CallFuture(Executor executor) {
    this.executor = executor;
  }

  @Override
  public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
    return new CallFuture<>(executor);
  }

  @Override
  public Executor defaultExecutor() {
    return executor;
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    if (isDone()) {
      return super.get();
    }
    try {
      return Gate.waiting(super::get);
    } catch (InterruptedException | ExecutionException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("get() threw what it does not declare", e);
    }
  }

  @Override
  public T get(long time, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (isDone()) {
      return super.get(time, unit);
    }
    try {
      return Gate.waiting(() -> super.get(time, unit));
    } catch (InterruptedException | ExecutionException | TimeoutException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("get() threw what it does not declare", e);
    }
  }

  @Override
  public T join() {
    if (isDone()) {
      return super.join();
    }
    try {
      return Gate.waiting(super::join);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("join() threw what it does not declare", e);
    }
  }

  /** Waits for any future as a blocking call does: what it throws is a GridException. */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    try {
      return future.isDone() ? future.get() : Gate.waiting(future::get);
    } catch (ExecutionException e) {
      throw Failures.here(e.getCause() == null ? e : e.getCause());
    } catch (CancellationException e) {
      throw new GridException(Status.CANCELLED, "the call was cancelled", true, null, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GridException(
          Status.CANCELLED, "interrupted while waiting for a call", true, null, e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }

  /** Waits until a future has ended, well or not; false if it did not within the time. */
  static boolean awaitEnd(CompletableFuture<?> future, long nanos) throws Exception {
    return future.isDone()
        || Gate.waiting(
            () -> {
              try {
                var unused = future.get(nanos, TimeUnit.NANOSECONDS);
              } catch (TimeoutException e) {
                return false;
              } catch (ExecutionException | CancellationException e) {
                return true; // Whoever asked learns it from the future.
              }
              return true;
            });
  }

  /** Waits for what a function returned; throws what it ended with. */
  static <T extends @Nullable Object> T awaitRaw(CompletableFuture<T> future) throws Throwable {
    try {
      return future.isDone() ? future.get() : Gate.waiting(future::get);
    } catch (ExecutionException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
