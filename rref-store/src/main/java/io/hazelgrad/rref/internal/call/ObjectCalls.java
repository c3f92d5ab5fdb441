package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.DereferenceMark;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.common.WireIds;
import io.hazelgrad.rref.internal.durable.DurableCall;
import io.hazelgrad.rref.internal.durable.DurableObjects;
import io.hazelgrad.rref.internal.durable.OwnerLookup;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.object.ObjectWaits;
import io.hazelgrad.rref.internal.object.OwnedObject;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls through references: they fetch an object, ask for its type, store it, or call a
 * function with it. A call unpins the handle that it gets when it has ended. Threads: safe.
 */
public final class ObjectCalls {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectCalls.class);
  private static final String FETCH = "rref.fetch";
  private static final String TYPE = "rref.type";

  /** One for all grids of the JVM, because it needs a thread. */
  private static final Cleaner CLEANER = Cleaner.create();

  private final GridContext context;
  private final HandleTable handles;
  private final ObjectWaits waits;
  private final DurableObjects durables;
  private final OwnerLookup lookup;
  private final CreationCalls creations;
  private final BackgroundRunner background;

  public ObjectCalls(
      GridContext context,
      HandleTable handles,
      ObjectWaits waits,
      DurableObjects durables,
      OwnerLookup lookup,
      CreationCalls creations) {
    this.context = context;
    this.handles = handles;
    this.waits = waits;
    this.durables = durables;
    this.lookup = lookup;
    this.creations = creations;
    this.background = new BackgroundRunner(context);
    context.asyncHandler(FETCH, (arguments, request) -> serve(arguments, value -> value));
    context.asyncHandler(TYPE, (arguments, request) -> serve(arguments, OwnedObject::typeOf));
  }

  /** Returns the RRef that users see. The cleaner releases its handle if nobody closes it. */
  public <T extends @Nullable Object> RRef<T> rref(RRefHandle handle) {
    Object anchor = new Object();
    HandleTable table = handles; // The cleaner must not refer to this object.
    BackgroundRunner runner = background;
    var unused = CLEANER.register(anchor, () -> forgotten(handle, table, runner));
    return new RRefImpl<>(this, handle, context.callTimeout(), anchor);
  }

  /** Closes in the background, since closing a handle may close an object of the user. */
  private static void forgotten(RRefHandle handle, HandleTable table, BackgroundRunner runner) {
    if (!handle.isClosed()) {
      table.countForgotten();
      LOG.warn("{}, {}, was never closed; the garbage collector found it", handle, handle.origin());
      runner.execute(handle::close);
    }
  }

  public boolean isSelf(Worker worker) {
    return worker.id() == context.self().id();
  }

  <T extends @Nullable Object> T await(Supplier<CompletableFuture<T>> call) {
    return context.await(call);
  }

  CompletableFuture<@Nullable Void> creation(RRefHandle handle) {
    if (!handle.creation().isDone()) {
      creations.await();
    }
    return handle.creation().copy();
  }

  void requireOwner(RRefHandle handle, Duration timeout) {
    requireSelf(lookup.current(handle, timeout), handle);
  }

  private void requireSelf(Worker owner, RRefHandle handle) {
    if (!isSelf(owner)) {
      throw new GridException(
          Status.RREF_NOT_OWNER,
          "the value of %s is not on %s %s: use toHere(), or call a method through the RRef"
              .formatted(handle, context.isClient() ? "client" : "worker", context.self().name()));
    }
  }

  boolean hasValue(RRefHandle handle) {
    requireSelf(handle.owner(), handle);
    return waits.made(handle.id()) != null;
  }

  static void requireDurable(RRefHandle handle) {
    if (!handle.isDurable()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          handle.id() + " is not durable: make it by RRefs.durable(...) to store it");
    }
  }

  <T extends @Nullable Object> CompletableFuture<T> fetch(RRefHandle pinned, Duration timeout) {
    return ask(pinned, timeout, FETCH, left -> local(pinned, left));
  }

  CompletableFuture<@Nullable String> type(RRefHandle pinned, Duration timeout) {
    String known = pinned.type();
    if (known != null) {
      pinned.unpin();
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<@Nullable String> asked =
        ask(pinned, timeout, TYPE, left -> local(pinned, left).thenApply(OwnedObject::typeOf));
    var unused = asked.thenAccept(pinned::learnType);
    return asked;
  }

  /** Returns the class of an object if this worker knows it without a question; else null. */
  public @Nullable String knownType(RRefHandle handle) {
    OwnedObject made = handle.type() == null ? waits.made(handle.id()) : null;
    return made == null ? handle.type() : made.type();
  }

  /** Asks the owner's service about an object, or looks here if this worker is the owner. */
  private <R extends @Nullable Object> CompletableFuture<R> ask(
      RRefHandle pinned,
      Duration timeout,
      String service,
      java.util.function.Function<Duration, CompletableFuture<R>> here) {
    return use(
        pinned,
        timeout,
        true,
        (owner, left) ->
            isSelf(owner)
                ? here.apply(left)
                : context.call(owner, service, List.of(WireIds.toLongs(pinned.id())), left));
  }

  CompletableFuture<@Nullable Void> checkpoint(RRefHandle pinned, Duration timeout) {
    return use(pinned, timeout, true, (owner, left) -> durables.checkpoint(pinned, owner, left));
  }

  <R extends @Nullable Object> CompletableFuture<R> call(
      RRefHandle pinned, Function<R> function, @Nullable Object[] arguments, Duration timeout) {
    return use(
        pinned,
        timeout,
        false,
        (owner, left) ->
            context.call(owner, function, withMark(pinned, arguments), left, message -> {}));
  }

  <R extends @Nullable Object> RRef<R> remote(
      RRefHandle pinned, Function<R> function, @Nullable Object[] arguments, Duration timeout) {
    try {
      requireCreated(pinned);
      RRefHandle created =
          creations.create(
              lookup.current(pinned, timeout),
              function,
              withMark(pinned, arguments),
              timeout,
              null);
      var unused = created.creation().whenComplete((nothing, failure) -> pinned.unpin());
      return rref(created);
    } catch (Throwable e) {
      pinned.unpin();
      throw failure(pinned, e);
    }
  }

  private static List<@Nullable Object> withMark(RRefHandle handle, @Nullable Object[] rest) {
    List<@Nullable Object> all = new ArrayList<>(rest.length + 1);
    all.add(new DereferenceMark(handle.id()));
    Collections.addAll(all, rest);
    return all;
  }

  /**
   * Runs a call and unpins the handle when it has ended. A failed creation or a lost owner may also
   * turn out later, so they fail the future and are not thrown. A call is {@code repeatable} if two
   * owners of a durable object may run it.
   */
  private <R extends @Nullable Object> CompletableFuture<R> use(
      RRefHandle pinned,
      Duration timeout,
      boolean repeatable,
      BiFunction<Worker, Duration, CompletableFuture<R>> send) {
    try {
      requireCreated(pinned);
      CompletableFuture<R> called =
          pinned.isDurable()
              ? new DurableCall<>(lookup, pinned, timeout, repeatable, context.<R>newFuture(), send)
                  .begin()
              : send.apply(pinned.owner(), timeout);
      endWithCreation(called, pinned);
      CompletableFuture<R> result =
          called
              .whenComplete((value, failure) -> pinned.unpin())
              .exceptionallyCompose(failure -> failed(pinned, failure));
      // If the caller cancels or completes the result, the call ends, too.
      var unused = result.whenComplete((value, failure) -> called.cancel(false));
      return result;
    } catch (Throwable e) {
      pinned.unpin();
      GridException failure = failure(pinned, e);
      if (failure.status() == Status.RREF_LOST || pinned.creation().isCompletedExceptionally()) {
        return CompletableFuture.failedFuture(failure);
      }
      throw failure;
    }
  }

  /** Fails; if the owner knew first that the creation failed, with the creator's own reason. */
  private static <R extends @Nullable Object> CompletableFuture<R> failed(
      RRefHandle pinned, Throwable failure) {
    GridException known = failure(pinned, failure);
    CompletableFuture<Void> creation = pinned.creation();
    return known.status() != Status.RREF_FAILED || creation.isDone()
        ? CompletableFuture.failedFuture(known)
        : creation
            .handle((made, why) -> why == null ? known : failure(pinned, why))
            .thenCompose(CompletableFuture::failedFuture);
  }

  /** Ends a call when the creation fails, or has failed while the call was being sent. */
  private static void endWithCreation(CompletableFuture<?> call, RRefHandle handle) {
    CompletableFuture<Void> creation = handle.creation();
    if (!creation.isDone() || creation.isCompletedExceptionally()) {
      var unused =
          creation.exceptionally(
              failure -> {
                call.completeExceptionally(failure);
                return null;
              });
    }
  }

  private <T extends @Nullable Object> CompletableFuture<T> local(
      RRefHandle handle, Duration timeout) {
    OwnedObject object = waits.begin(handle.id());
    // The object is the result of the creating function, and T is that function's type.
    @SuppressWarnings("unchecked")
    CompletableFuture<T> value = (CompletableFuture<T>) object.value();
    if (value.isDone()) {
      waits.end(object);
      return value.copy();
    }
    // Callbacks are user code, so they run on background threads.
    CompletableFuture<T> found = value.thenApplyAsync(made -> made, background);
    if (!timeout.isZero()) {
      found.orTimeout(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
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

  private static void requireCreated(RRefHandle handle) {
    if (handle.creation().isCompletedExceptionally()) {
      handle.creation().join();
    }
  }

  private static GridException failure(RRefHandle handle, Throwable failure) {
    Throwable cause = Causes.of(failure);
    if (cause instanceof GridException known) {
      return handle.isDurable() ? known : CreationCalls.lost(handle.id(), handle.owner(), known);
    }
    if (cause instanceof CancellationException) {
      return new GridException(Status.CANCELLED, "cancelled by its caller", true, null, cause);
    }
    return new GridException(Status.INTERNAL, cause.toString(), true, null, cause);
  }

  /** Answers a question of another worker about an object of this one, when the object is made. */
  private CompletableFuture<?> serve(
      List<@Nullable Object> arguments, UnaryOperator<@Nullable Object> question) {
    OwnedObject object = waits.begin(WireIds.rrefOfLongs(arguments.get(0)));
    // A future of its own, since the grid cancels it at the deadline of this one call.
    CompletableFuture<?> found = object.value().thenApply(question);
    var unused = found.whenComplete((value, failure) -> waits.end(object));
    return found;
  }
}
