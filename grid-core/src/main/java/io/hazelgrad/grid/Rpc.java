package io.hazelgrad.grid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls to workers, by name or to one incarnation: a {@link Worker}, or the text {@code "#17"} for
 * the worker with the id 17 ({@link Worker#callee}). {@code async} returns a future at once; {@code
 * sync} waits and throws. Both throw at once if the destination, the function or an argument is
 * wrong. A later failure ends the future with a {@link GridException}, which {@code sync} throws.
 * Arguments must not be changed before the call has ended. Calls are not ordered among each other,
 * never run twice, and are not retried. Applications use this interface and do not implement it.
 *
 * <p>Threads: safe. A called function that waits here gives up its permit meanwhile.
 */
public interface Rpc {
  /**
   * Returns the same calls with another deadline for each, which is not negative; zero is none.
   * Without this, a call has the configured deadline. A call that a called function makes on its
   * own thread then also ends with the call of that function.
   */
  Rpc within(Duration deadline);

  /**
   * Returns the same calls, which wait while their callee has no room instead of failing with
   * REJECTED. The request is sent again after pauses that grow from 1 ms to 2 s, until the
   * deadline. Each pause is shortened at random by up to a half, so that callers who were refused
   * together do not come back together. No thread waits for that.
   */
  Rpc waitingWhenFull();

  /**
   * Cancels a call, as {@code future.cancel(true)} does, and returns the effect. A call that waits
   * on its callee is never run. If its function runs, the function's thread is interrupted, or the
   * stage that it returned is cancelled. A call that had ended stays as it is. The effect fails
   * with WORKER_LOST if the callee was lost before it answered.
   *
   * @param future the future that {@code async} returned, not one derived from it
   * @throws GridException BAD_ARGUMENT for a future that is not of a call
   */
  static CompletableFuture<Cancellation> cancel(CompletableFuture<?> future) {
    return GridProvider.INSTANCE.cancel(future);
  }

  /** Calls a function. */
  <R extends @Nullable Object> CompletableFuture<R> async(
      String to, Function<R> function, @Nullable Object... arguments);

  /** Calls a function on this incarnation of a worker only. */
  <R extends @Nullable Object> CompletableFuture<R> async(
      Worker to, Function<R> function, @Nullable Object... arguments);

  /** Calls a method without arguments. */
  default <R> CompletableFuture<R> async(String to, Function.F0<R> function) {
    return async(to, Function.of(function));
  }

  /** Calls a method with one argument; for an instance method that is its object. */
  default <A, R> CompletableFuture<R> async(String to, Function.F1<A, R> function, A a) {
    return async(to, Function.of(function), a);
  }

  /** Calls a method with two arguments. */
  default <A, B, R> CompletableFuture<R> async(String to, Function.F2<A, B, R> function, A a, B b) {
    return async(to, Function.of(function), a, b);
  }

  /** Calls a method with three arguments. */
  default <A, B, C, R> CompletableFuture<R> async(
      String to, Function.F3<A, B, C, R> function, A a, B b, C c) {
    return async(to, Function.of(function), a, b, c);
  }

  /** Calls a method with four arguments. */
  default <A, B, C, D, R> CompletableFuture<R> async(
      String to, Function.F4<A, B, C, D, R> function, A a, B b, C c, D d) {
    return async(to, Function.of(function), a, b, c, d);
  }

  /** Calls a function and waits for its result. */
  <R extends @Nullable Object> R sync(
      String to, Function<R> function, @Nullable Object... arguments);

  /** Calls a function on this incarnation of a worker only, and waits for its result. */
  <R extends @Nullable Object> R sync(
      Worker to, Function<R> function, @Nullable Object... arguments);

  /** Calls a method without arguments and waits for its result. */
  default <R> R sync(String to, Function.F0<R> function) {
    return sync(to, Function.of(function));
  }

  /** Calls a method with one argument and waits for its result. */
  default <A, R> R sync(String to, Function.F1<A, R> function, A a) {
    return sync(to, Function.of(function), a);
  }

  /** Calls a method with two arguments and waits for its result. */
  default <A, B, R> R sync(String to, Function.F2<A, B, R> function, A a, B b) {
    return sync(to, Function.of(function), a, b);
  }

  /** Calls a method with three arguments and waits for its result. */
  default <A, B, C, R> R sync(String to, Function.F3<A, B, C, R> function, A a, B b, C c) {
    return sync(to, Function.of(function), a, b, c);
  }

  /** Calls a method with four arguments and waits for its result. */
  default <A, B, C, D, R> R sync(
      String to, Function.F4<A, B, C, D, R> function, A a, B b, C c, D d) {
    return sync(to, Function.of(function), a, b, c, d);
  }

  /**
   * Waits for any future, such as one made by {@link CompletableFuture#allOf}, and throws a {@link
   * GridException} if it failed. Inside a called function that gives the function's permit up
   * meanwhile, which {@code join()} does only for futures of calls and those derived from them.
   */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    return GridProvider.INSTANCE.await(future);
  }

  /**
   * Waits until all futures have ended well, or one has failed, which throws; the others go on.
   *
   * @return the results in order
   */
  static <T extends @Nullable Object> List<T> awaitAll(
      Collection<? extends CompletableFuture<? extends T>> futures) {
    CompletableFuture<@Nullable Void> any = new CompletableFuture<>();
    CompletableFuture<?>[] all = futures.toArray(new CompletableFuture<?>[0]);
    for (CompletableFuture<?> future : all) {
      var unused =
          future.whenComplete(
              (value, failure) -> {
                if (failure != null) {
                  any.completeExceptionally(failure);
                }
              });
    }
    var unused = CompletableFuture.allOf(all).thenRun(() -> any.complete(null));
    await(any);
    List<T> results = new ArrayList<>(futures.size());
    futures.forEach(future -> results.add(future.join()));
    return results;
  }
}
