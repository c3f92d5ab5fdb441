package io.hazelgrad.grid;

import io.hazelgrad.grid.internal.call.CallFuture;
import io.hazelgrad.grid.internal.call.Caller;
import io.hazelgrad.grid.internal.call.ClientCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls to workers, by name or to one incarnation. {@code async} gives a future at once, {@code
 * sync} waits and throws. What is wrong with the destination, the function or an argument is thrown
 * at once by both; what goes wrong later ends the future with a {@link GridException}, which {@code
 * sync} throws. Arguments must not be changed before the call has ended.
 *
 * <p>Calls are not ordered among each other, never run twice, and are not retried.
 *
 * <p>Threads: safe. Waiting inside a called function gives the function's permit up meanwhile.
 */
public final class Rpc {
  private final Caller caller;
  private final Caller.Options options;

  public Rpc(Caller caller, Caller.Options options) {
    this.caller = caller;
    this.options = options;
  }

  /**
   * Returns the same with another deadline for each call; zero is none. Without this, a call has
   * the configured deadline, and one that a called function makes on its own thread ends with the
   * call of that function at the latest.
   */
  public Rpc within(Duration deadline) {
    if (deadline.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a deadline must not be negative, zero means none: " + deadline);
    }
    return new Rpc(caller, new Caller.Options(deadline, false, options.waitWhenFull()));
  }

  /**
   * Returns the same for calls that wait while their callee has no room, in place of REJECTED: they
   * are brought again, with growing pauses of 1 to 100 ms, until the deadline. No thread waits for
   * that.
   */
  public Rpc waitingWhenFull() {
    return new Rpc(caller, new Caller.Options(options.timeout(), options.bounded(), true));
  }

  /**
   * Cancels a call, as {@code future.cancel(true)} does, and says what that did. A call that waits
   * on its callee is never run; where its function runs, the function's thread is interrupted, or
   * the stage that it returned is cancelled; what had ended stays as it is.
   *
   * @param future what {@code async} returned, not a future derived from it
   * @return a stage that fails with WORKER_LOST if the callee was lost before it answered
   * @throws GridException BAD_ARGUMENT for a future that is not of a call
   */
  public static CompletableFuture<Cancellation> cancel(CompletableFuture<?> future) {
    ClientCall<?> call = future instanceof CallFuture<?> known ? known.call() : null;
    if (call == null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "only a call can be cancelled so, give the very future that async(...) returned: "
              + future);
    }
    return call.cancel();
  }

  /** Calls a function. */
  public <R extends @Nullable Object> CompletableFuture<R> async(
      String to, Function<R> function, @Nullable Object... arguments) {
    return CallScope.collect(caller.call(to, function, list(arguments), options));
  }

  /** Calls a function on this incarnation of a worker only. */
  public <R extends @Nullable Object> CompletableFuture<R> async(
      Worker to, Function<R> function, @Nullable Object... arguments) {
    return CallScope.collect(caller.call(to, function, list(arguments), options));
  }

  /** Calls a method without arguments. */
  public <R> CompletableFuture<R> async(String to, Function.F0<R> function) {
    return async(to, Function.of(function));
  }

  /** Calls a method with one argument; for an instance method that is its object. */
  public <A, R> CompletableFuture<R> async(String to, Function.F1<A, R> function, A a) {
    return async(to, Function.of(function), a);
  }

  /** Calls a method with two arguments. */
  public <A, B, R> CompletableFuture<R> async(String to, Function.F2<A, B, R> function, A a, B b) {
    return async(to, Function.of(function), a, b);
  }

  /** Calls a method with three arguments. */
  public <A, B, C, R> CompletableFuture<R> async(
      String to, Function.F3<A, B, C, R> function, A a, B b, C c) {
    return async(to, Function.of(function), a, b, c);
  }

  /** Calls a method with four arguments. */
  public <A, B, C, D, R> CompletableFuture<R> async(
      String to, Function.F4<A, B, C, D, R> function, A a, B b, C c, D d) {
    return async(to, Function.of(function), a, b, c, d);
  }

  /** Calls a function and waits for its result. */
  public <R extends @Nullable Object> R sync(
      String to, Function<R> function, @Nullable Object... arguments) {
    return caller.sync(to, function, list(arguments), options);
  }

  /** Calls a function on this incarnation of a worker only, and waits for its result. */
  public <R extends @Nullable Object> R sync(
      Worker to, Function<R> function, @Nullable Object... arguments) {
    return caller.sync(to, function, list(arguments), options);
  }

  /** Calls a method without arguments and waits for its result. */
  public <R> R sync(String to, Function.F0<R> function) {
    return sync(to, Function.of(function));
  }

  /** Calls a method with one argument and waits for its result. */
  public <A, R> R sync(String to, Function.F1<A, R> function, A a) {
    return sync(to, Function.of(function), a);
  }

  /** Calls a method with two arguments and waits for its result. */
  public <A, B, R> R sync(String to, Function.F2<A, B, R> function, A a, B b) {
    return sync(to, Function.of(function), a, b);
  }

  /** Calls a method with three arguments and waits for its result. */
  public <A, B, C, R> R sync(String to, Function.F3<A, B, C, R> function, A a, B b, C c) {
    return sync(to, Function.of(function), a, b, c);
  }

  /** Calls a method with four arguments and waits for its result. */
  public <A, B, C, D, R> R sync(
      String to, Function.F4<A, B, C, D, R> function, A a, B b, C c, D d) {
    return sync(to, Function.of(function), a, b, c, d);
  }

  /**
   * Waits for any future, such as one made by {@link CompletableFuture#allOf}. Inside a called
   * function that gives the function's permit up meanwhile, which {@code join()} does only for
   * futures of calls and what is derived from them.
   *
   * @throws GridException if the future failed
   */
  public static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    return CallFuture.await(future);
  }

  /**
   * Waits until all futures have ended well, or one has failed: the others are then not waited for,
   * and go on.
   *
   * @return the results in order
   * @throws GridException that of the future that failed first
   */
  public static <T extends @Nullable Object> List<T> awaitAll(
      Collection<? extends CompletableFuture<? extends T>> futures) {
    return CallScope.awaitAll(futures);
  }

  private static List<@Nullable Object> list(@Nullable Object[] arguments) {
    return new ArrayList<>(Arrays.asList(arguments));
  }
}
