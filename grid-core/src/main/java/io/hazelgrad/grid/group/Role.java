package io.hazelgrad.grid.group;

import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A role, and calls to one or all of the workers that have it.
 *
 * <p>{@code async} and {@code sync} call the living workers of the role in turn, by id. Each caller
 * counts its own turns. Workers that have announced their leave are passed over. If the chosen
 * worker is gone and the function cannot have run, the next worker is tried; if it may have run,
 * the call fails with WORKER_LOST. {@code asyncAll} and {@code syncAll} call each worker once and
 * return the results by name.
 *
 * <p>Errors are those of {@link Rpc}, and UNKNOWN_WORKER if no worker has the role. No messages
 * besides the calls are sent. Threads: safe.
 */
public final class Role {
  private final GridContext context;
  private final Roles roles;
  private final String name;
  private final AtomicLong turns;
  private final Duration timeout;

  Role(GridContext context, Roles roles, String name, AtomicLong turns, Duration timeout) {
    this.context = context;
    this.roles = roles;
    this.name = name;
    this.turns = turns;
    this.timeout = timeout;
  }

  /** Returns the name of the role. */
  public String name() {
    return name;
  }

  /** Returns the living workers that have the role, by id. */
  public List<Worker> workers() {
    return roles.workers(name);
  }

  /** Returns the worker whose turn it is, as {@link #async} does, to place a remote object. */
  public Worker next() {
    return next(Set.of());
  }

  /** Returns the same role with another deadline for each call; zero means none. */
  public Role within(Duration deadline) {
    if (deadline.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a deadline must not be negative (zero means none): " + deadline);
    }
    return new Role(context, roles, name, turns, deadline);
  }

  /** Calls a function on one worker of the role. */
  public <R extends @Nullable Object> CompletableFuture<R> async(
      Function<R> function, @Nullable Object... arguments) {
    return CallScope.collect(new Attempts<>(function, arguments).begin());
  }

  /** Calls a method without arguments on one worker of the role. */
  public <R> CompletableFuture<R> async(Function.F0<R> function) {
    return async(Function.of(function));
  }

  /** Calls a method with one argument on one worker of the role. */
  public <A, R> CompletableFuture<R> async(Function.F1<A, R> function, A a) {
    return async(Function.of(function), a);
  }

  /** Calls a method with two arguments on one worker of the role. */
  public <A, B, R> CompletableFuture<R> async(Function.F2<A, B, R> function, A a, B b) {
    return async(Function.of(function), a, b);
  }

  /** Calls a function on one worker of the role and waits for its result. */
  public <R extends @Nullable Object> R sync(Function<R> function, @Nullable Object... arguments) {
    return context.await(new Attempts<>(function, arguments).begin());
  }

  /** Calls a method without arguments on one worker of the role and waits for its result. */
  public <R> R sync(Function.F0<R> function) {
    return sync(Function.of(function));
  }

  /** Calls a method with one argument on one worker of the role and waits for its result. */
  public <A, R> R sync(Function.F1<A, R> function, A a) {
    return sync(Function.of(function), a);
  }

  /** Calls a method with two arguments on one worker of the role and waits for its result. */
  public <A, B, R> R sync(Function.F2<A, B, R> function, A a, B b) {
    return sync(Function.of(function), a, b);
  }

  /** Calls a function on every worker of the role; returns the futures by the workers' names. */
  public <R extends @Nullable Object> Map<String, CompletableFuture<R>> asyncAll(
      Function<R> function, @Nullable Object... arguments) {
    return Collections.unmodifiableMap(callAll(function, arguments, CallScope::collect));
  }

  /** Calls a method without arguments on every worker of the role. */
  public <R> Map<String, CompletableFuture<R>> asyncAll(Function.F0<R> function) {
    return asyncAll(Function.of(function));
  }

  /** Calls a method with one argument on every worker of the role. */
  public <A, R> Map<String, CompletableFuture<R>> asyncAll(Function.F1<A, R> function, A a) {
    return asyncAll(Function.of(function), a);
  }

  /** Calls a function on every worker of the role; waits for all results, or the first failure. */
  public <R extends @Nullable Object> Map<String, R> syncAll(
      Function<R> function, @Nullable Object... arguments) {
    Map<String, CompletableFuture<R>> calls = callAll(function, arguments, call -> call);
    List<R> values = Rpc.awaitAll(calls.values());
    Map<String, R> results = new TreeMap<>();
    int i = 0;
    for (String worker : calls.keySet()) {
      results.put(worker, values.get(i++));
    }
    return Collections.unmodifiableMap(results);
  }

  /** Calls a method without arguments on every worker of the role and waits for all results. */
  public <R> Map<String, R> syncAll(Function.F0<R> function) {
    return syncAll(Function.of(function));
  }

  /** Calls a method with one argument on every worker of the role and waits for all results. */
  public <A, R> Map<String, R> syncAll(Function.F1<A, R> function, A a) {
    return syncAll(Function.of(function), a);
  }

  private <R extends @Nullable Object> Map<String, CompletableFuture<R>> callAll(
      Function<R> function,
      @Nullable Object[] arguments,
      UnaryOperator<CompletableFuture<R>> collect) {
    List<Worker> workers = workers();
    if (workers.isEmpty()) {
      throw noWorker(Set.of());
    }
    Map<String, CompletableFuture<R>> calls = new TreeMap<>();
    for (Worker worker : workers) {
      calls.put(worker.name(), collect.apply(callNow(worker, function, list(arguments))));
    }
    return calls;
  }

  private <R extends @Nullable Object> CompletableFuture<R> callNow(
      Worker worker, Function<R> function, List<@Nullable Object> arguments) {
    try {
      return context.call(worker, function, arguments, timeout, message -> {});
    } catch (GridException e) {
      if (e.status() != Status.WORKER_LOST) {
        throw e;
      }
      CompletableFuture<R> lost = context.newFuture();
      lost.completeExceptionally(e);
      return lost;
    }
  }

  private static List<@Nullable Object> list(@Nullable Object[] arguments) {
    return new ArrayList<>(Arrays.asList(arguments));
  }

  private Worker next(Set<Worker> tried) {
    List<Worker> candidates = new ArrayList<>(workers());
    candidates.removeAll(tried);
    if (candidates.isEmpty()) {
      throw noWorker(tried);
    }
    return candidates.get((int) Math.floorMod(turns.getAndIncrement(), (long) candidates.size()));
  }

  private GridException noWorker(Set<Worker> tried) {
    if (!tried.isEmpty()) {
      return new GridException(
          Status.WORKER_LOST,
          "all workers of the role \"%s\" were lost or have left: %s"
              .formatted(name, tried.stream().map(Worker::name).sorted().toList()));
    }
    return new GridException(
        Status.UNKNOWN_WORKER,
        "no living worker has the role \"%s\"; the roles of living workers are %s"
            .formatted(name, roles.all()));
  }

  /** One call to any worker of the role: as long as it cannot have run, the next one is tried. */
  private final class Attempts<R extends @Nullable Object> {
    private final Function<R> function;
    private final List<@Nullable Object> arguments;
    private final long start = System.nanoTime();
    private final Set<Worker> tried = new HashSet<>();
    private final CompletableFuture<R> result = context.newFuture();

    Attempts(Function<R> function, @Nullable Object[] arguments) {
      this.function = function;
      this.arguments = list(arguments);
    }

    /** Calls the next worker; throws if none is left. */
    CompletableFuture<R> begin() {
      Worker worker = next(tried);
      tried.add(worker);
      CompletableFuture<R> call;
      try {
        call = context.call(worker, function, arguments, remaining(), message -> {});
      } catch (GridException e) {
        if (e.status() != Status.WORKER_LOST) {
          throw e;
        }
        return begin();
      }
      var unused =
          call.whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  result.complete(value);
                } else if (isLostUnsent(failure) && !result.isDone()) {
                  retry();
                } else {
                  result.completeExceptionally(failure);
                }
              });
      var unusedCancel =
          result.whenComplete(
              (value, failure) -> {
                if (failure != null) { // Its caller cancelled it; otherwise the call has ended.
                  call.cancel(true);
                }
              });
      return result;
    }

    /** Runs on a thread that may block, since it reads the directory. */
    private void retry() {
      try {
        var unused = begin();
      } catch (GridException e) {
        result.completeExceptionally(e);
      }
    }

    private Duration remaining() {
      Duration left = timeout.minusNanos(System.nanoTime() - start);
      boolean isOver = left.isNegative() || left.isZero();
      return timeout.isZero() ? timeout : isOver ? Duration.ofNanos(1) : left;
    }

    private static boolean isLostUnsent(Throwable failure) {
      return Causes.of(failure) instanceof GridException known
          && known.status() == Status.WORKER_LOST
          && !known.mayHaveRun();
    }
  }
}
