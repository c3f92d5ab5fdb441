package io.hazelgrad.rref.internal.call;

import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The RRef that users see: a handle and the deadline of calls through it. Threads: safe. */
final class RRefImpl<T extends @Nullable Object> implements RRef<T> {
  private final ObjectCalls calls;
  private final RRefHandle handle;
  private final Duration timeout;

  /** Shared by the objects that {@link #within} returns for one handle. */
  private final Object anchor;

  RRefImpl(ObjectCalls calls, RRefHandle handle, Duration timeout, Object anchor) {
    this.calls = calls;
    this.handle = handle;
    this.timeout = timeout;
    this.anchor = anchor;
  }

  RRefHandle handle() {
    return handle;
  }

  /** Pins the handle before the garbage collector may find this object. */
  private RRefHandle pin() {
    try {
      handle.pin();
      return handle;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public RRefId id() {
    return handle.id();
  }

  @Override
  public Worker owner() {
    return handle.owner();
  }

  @Override
  public boolean isOwner() {
    return calls.isSelf(handle.owner());
  }

  @Override
  public boolean isConfirmed() {
    return handle.isConfirmed();
  }

  @Override
  public CompletableFuture<@Nullable Void> creation() {
    return calls.creation(handle);
  }

  @Override
  public RRef<T> within(Duration deadline) {
    return new RRefImpl<>(calls, handle, deadline, anchor);
  }

  @Override
  public T localValue() {
    calls.requireOwner(handle, timeout);
    return calls.await(this::toHereAsync);
  }

  @Override
  public boolean hasValue() {
    handle.requireOpen();
    return calls.hasValue(handle);
  }

  @Override
  public T toHere() {
    return calls.await(this::toHereAsync);
  }

  @Override
  public CompletableFuture<T> toHereAsync() {
    return calls.fetch(pin(), timeout);
  }

  @Override
  public @Nullable String type() {
    return calls.await(this::typeAsync);
  }

  @Override
  public CompletableFuture<@Nullable String> typeAsync() {
    return calls.type(pin(), timeout);
  }

  @Override
  public boolean isDurable() {
    return handle.isDurable();
  }

  @Override
  public void checkpoint() {
    calls.await(this::checkpointAsync);
  }

  @Override
  public CompletableFuture<@Nullable Void> checkpointAsync() {
    ObjectCalls.requireDurable(handle);
    return calls.checkpoint(pin(), timeout);
  }

  @Override
  public <R extends @Nullable Object> CompletableFuture<R> async(
      Function<R> function, @Nullable Object... arguments) {
    // The scope of the thread, if there is one, waits for this call as for any other.
    return CallScope.collect(calls.call(pin(), function, arguments, timeout));
  }

  @Override
  public <R extends @Nullable Object> R sync(Function<R> function, @Nullable Object... arguments) {
    return calls.await(() -> calls.call(pin(), function, arguments, timeout));
  }

  @Override
  public <R extends @Nullable Object> RRef<R> remote(
      Function<R> function, @Nullable Object... arguments) {
    return calls.remote(pin(), function, arguments, timeout);
  }

  @Override
  public RRef<T> keep() {
    handle.keep();
    return this;
  }

  @Override
  public boolean isClosed() {
    return handle.isClosed();
  }

  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "RRef(" + handle + ")";
  }
}
