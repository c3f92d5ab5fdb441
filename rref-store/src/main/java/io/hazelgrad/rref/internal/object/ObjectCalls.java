package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.durable.DurableCall;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.maintenance.BackgroundRunner;
import io.hazelgrad.rref.internal.runtime.RRefMessages;
import io.hazelgrad.rref.internal.runtime.WireIds;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The calls that use the objects of references: which fetch, name, store or call them. */
public final class ObjectCalls {
  public static final String FETCH = "rref.fetch";
  public static final String TYPE = "rref.type";

  private final GridContext context;
  private final ObjectWaits waits;
  private final DurableObjects durables;
  private final OwnerLookup whereabouts;
  private final BackgroundRunner background;

  public ObjectCalls(
      GridContext context,
      ObjectWaits waits,
      DurableObjects durables,
      OwnerLookup whereabouts,
      BackgroundRunner background) {
    this.context = context;
    this.waits = waits;
    this.durables = durables;
    this.whereabouts = whereabouts;
    this.background = background;
  }

  public boolean isSelf(Worker worker) {
    return worker.id() == context.self().id();
  }

  public <T extends @Nullable Object> T localValue(RRef<T> rref, Duration timeout) {
    if (!isSelf(whereabouts.current(rref.handle(), timeout))) {
      throw new GridException(
          Status.RREF_NOT_OWNER,
          "cannot call localValue() of "
              + rref.handle()
              + " on "
              + (context.isClient() ? "client " : "worker ")
              + context.self().name()
              + ": use toHere(), or call a method through the RRef");
    }
    return context.await(fetch(rref, timeout));
  }

  public <T extends @Nullable Object> CompletableFuture<T> fetch(RRef<T> rref, Duration timeout) {
    return ask(rref, timeout, FETCH, left -> local(rref.handle(), left));
  }

  public CompletableFuture<@Nullable String> type(RRef<?> rref, Duration timeout) {
    return ask(
        rref, timeout, TYPE, left -> local(rref.handle(), left).thenApply(RRefMessages::typeOf));
  }

  /** Asks the owner's service about an object, or looks here if the owner is this worker. */
  private <R extends @Nullable Object> CompletableFuture<R> ask(
      RRef<?> rref,
      Duration timeout,
      String service,
      java.util.function.Function<Duration, CompletableFuture<R>> here) {
    RRefHandle handle = rref.handle();
    return use(
        rref,
        timeout,
        true,
        (owner, left) ->
            isSelf(owner)
                ? here.apply(left)
                : context.call(owner, service, listOf(WireIds.toLongs(handle.id())), left));
  }

  public CompletableFuture<Void> checkpoint(RRef<?> rref, Duration timeout) {
    RRefHandle handle = rref.handle();
    if (!handle.isDurable()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          handle.id() + " is not durable: make it by RRefs.durable(...) to store it");
    }
    return use(rref, timeout, true, (owner, left) -> durables.checkpoint(handle, owner, left));
  }

  public <R extends @Nullable Object> CompletableFuture<R> callOn(
      RRef<?> rref, Function<R> function, @Nullable Object[] arguments, Duration timeout) {
    RRefHandle handle = rref.handle();
    return use(
        rref,
        timeout,
        false,
        (owner, left) ->
            context.call(
                owner,
                function,
                RRef.list(new DereferenceMark(handle.id()), arguments),
                left,
                message -> {}));
  }

  /**
   * Holds the handle as long as a call with it is under way. What may also turn out only later ends
   * the future, never this method: that the creation failed, or that the owner was lost.
   *
   * @param repeatable whether two owners of a durable object may run it
   */
  private <R extends @Nullable Object> CompletableFuture<R> use(
      RRef<?> rref, Duration timeout, boolean repeatable, DurableCall.Send<R> send) {
    RRefHandle handle = pin(rref);
    try {
      requireCreated(handle);
      CompletableFuture<R> called =
          handle.isDurable()
              ? new DurableCall<>(
                      whereabouts, handle, timeout, repeatable, context.<R>newFuture(), send)
                  .begin()
              : send.apply(handle.owner(), timeout);
      endWithCreation(called, handle);
      CompletableFuture<R> result =
          called
              .whenComplete((value, failure) -> handle.unpin())
              .exceptionallyCompose(
                  failure -> CompletableFuture.failedFuture(lost(handle, failure)));
      // Who cancels the result, or ends it otherwise, ends the call; one that has ended is not
      // touched.
      var unused = result.whenComplete((value, failure) -> called.cancel(false));
      return result;
    } catch (Throwable e) {
      handle.unpin();
      GridException failure = lost(handle, e);
      if (failure.status() == Status.RREF_LOST || handle.creation().isCompletedExceptionally()) {
        return CompletableFuture.failedFuture(failure);
      }
      throw failure;
    }
  }

  /** Holds a handle on before the garbage collector may take it for forgotten. */
  public static RRefHandle pin(RRef<?> rref) {
    try {
      RRefHandle handle = rref.handle();
      handle.pin();
      return handle;
    } finally {
      Reference.reachabilityFence(rref);
    }
  }

  /** Ends a call when it is known that the object will not be made. */
  private static void endWithCreation(CompletableFuture<?> call, RRefHandle handle) {
    if (!handle.creation().isDone()) {
      var unused =
          handle
              .creation()
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure != null) {
                      call.completeExceptionally(failure);
                    }
                  });
    }
  }

  private static List<@Nullable Object> listOf(Object one) {
    List<@Nullable Object> list = new ArrayList<>(1);
    list.add(one);
    return list;
  }

  private <T extends @Nullable Object> CompletableFuture<T> local(
      RRefHandle handle, Duration timeout) {
    OwnedObject object = waits.begin(handle.id());
    // The object is what the creating function returned, and T is that function's type.
    @SuppressWarnings("unchecked")
    CompletableFuture<T> value = (CompletableFuture<T>) object.value();
    if (value.isDone()) {
      waits.end(object);
      return value.copy();
    }
    // Callbacks are the user's: they run on background threads, not on the one that made it.
    CompletableFuture<T> found = value.thenApplyAsync(made -> made, background);
    if (!timeout.isZero()) {
      found.orTimeout(nanos(timeout), TimeUnit.NANOSECONDS);
    }
    return found
        .whenComplete((made, failure) -> waits.end(object))
        .exceptionallyComposeAsync(
            failure ->
                CompletableFuture.failedFuture(
                    failure instanceof TimeoutException
                            || failure.getCause() instanceof TimeoutException
                        ? new GridException(
                            Status.TIMEOUT,
                            handle.id() + " was not made within " + timeout.toMillis() + " ms")
                        : failure),
            background);
  }

  private static long nanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE; // 292 years.
    }
  }

  public static void requireCreated(RRefHandle handle) {
    if (handle.creation().isCompletedExceptionally()) {
      handle.creation().join();
    }
  }

  public static GridException lost(RRefHandle handle, Throwable failure) {
    Throwable cause = Causes.of(failure);
    if (cause instanceof GridException known) {
      return handle.isDurable() ? known : lost(handle.id(), handle.owner(), known);
    }
    if (cause instanceof CancellationException) {
      return new GridException(Status.CANCELLED, "cancelled by its caller", true, null, cause);
    }
    return new GridException(Status.INTERNAL, cause.toString(), true, null, cause);
  }

  /** Says RREF_LOST where a call says that the owner, and not another worker, was lost. */
  static GridException lost(RRefId id, Worker owner, GridException failure) {
    return failure.status() == Status.WORKER_LOST && failure.remote() == null
        ? new GridException(
            Status.RREF_LOST,
            id + " is lost with its owner, worker " + owner.name(),
            failure.mayHaveRun(),
            null,
            failure)
        : failure;
  }
}
