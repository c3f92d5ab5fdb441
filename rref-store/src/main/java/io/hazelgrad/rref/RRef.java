package io.hazelgrad.rref;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A counted reference to an object that lives on its owner. The object stays as long as a handle is
 * open anywhere; this is one of them. Passing it in a call, or returning it from one, gives the
 * receiver a handle of its own.
 *
 * <p><b>Closing.</b> Handles that your own code makes are yours: close them, best with
 * try-with-resources. Handles that a <i>called function</i> receives or makes are closed when the
 * call ends, unless it says {@link #keep()}. Handles in the result of {@code remote} belong to the
 * new object and are closed with it. A handle that is forgotten is released when the garbage
 * collector finds it, with a warning.
 *
 * <p>Threads: safe.
 *
 * @param <T> the type of the object
 */
public final class RRef<T extends @Nullable Object> implements AutoCloseable {
  private final RRefs home;
  private final RRefHandle handle;
  private final Duration timeout;

  /** What the cleaner watches; shared by the views that {@link #within} makes. */
  private final Object anchor;

  public RRef(RRefs home, RRefHandle handle, Duration timeout, Object anchor) {
    this.home = home;
    this.handle = handle;
    this.timeout = timeout;
    this.anchor = anchor;
  }

  public RRefHandle handle() {
    return handle;
  }

  /** Returns the name of the referenced object, the same for all its handles. */
  public RRefId id() {
    return handle.id();
  }

  /** Returns the worker on which the object lives; of a durable object it may change. */
  public Worker owner() {
    return handle.owner();
  }

  /** Returns whether the object lives on this worker. */
  public boolean isOwner() {
    return home.calls().isSelf(handle.owner());
  }

  /** Returns whether the owner has confirmed the creation. A received handle always is. */
  public boolean isConfirmed() {
    return handle.creation().isDone() && !handle.creation().isCompletedExceptionally();
  }

  /**
   * Returns a future that ends when the owner has made the object or failed to, without its value.
   * It fails only if the creation itself did not happen: RREF_TIMED_OUT or what the call ended
   * with. If the function threw, {@link #toHere()} says so. Where nobody asked for one lately, the
   * owner takes up to a millisecond more, in which it gathers what it tells the registry.
   */
  public CompletableFuture<@Nullable Void> creation() {
    CompletableFuture<Void> creation = handle.creation();
    if (!creation.isDone()) {
      home.creationIsAwaited();
    }
    return creation.copy();
  }

  /** Returns the same handle with another deadline for what is called on it; zero is none. */
  public RRef<T> within(Duration deadline) {
    return new RRef<>(home, handle, deadline, anchor);
  }

  /**
   * Returns the object itself, on its owner. Waits until it was made.
   *
   * @throws GridException RREF_NOT_OWNER on any other worker; what the creating function threw
   */
  public T localValue() {
    return home.calls().localValue(this, timeout);
  }

  /**
   * Returns a copy of the object; on its owner the object itself. Waits until it was made.
   *
   * @throws GridException what the creating function threw; RREF_LOST if the owner was lost
   */
  public T toHere() {
    return home.await(this::toHereAsync);
  }

  /** As {@link #toHere()}, without waiting. */
  public CompletableFuture<T> toHereAsync() {
    return home.calls().fetch(this, timeout);
  }

  /**
   * Returns the name of the object's class, null for null, without moving the object. Waits until
   * it was made; costs a round trip to its owner.
   *
   * @throws GridException what the creating function threw; RREF_LOST if the owner was lost
   */
  public @Nullable String type() {
    return home.await(this::typeAsync);
  }

  /** As {@link #type()}, without waiting. */
  public CompletableFuture<@Nullable String> typeAsync() {
    return home.calls().type(this, timeout);
  }

  /**
   * Returns whether the object outlives its owner: its value is stored, and when the owner dies or
   * leaves, another worker becomes the owner. Made by {@link RRefs#durable}.
   */
  public boolean isDurable() {
    return handle.isDurable();
  }

  /**
   * Stores the durable object as it is now, and waits. What calls do to it later is lost if its
   * owner dies before the next checkpoint. Costs a copy of the whole value on two workers. A method
   * that runs meanwhile may be seen half done, unless it is {@code synchronized}: the value is
   * written in the object's monitor.
   *
   * @throws GridException BAD_ARGUMENT if the object is not durable; BAD_VALUE or NOT_ALLOWED if
   *     its value cannot be stored
   */
  public void checkpoint() {
    home.await(this::checkpointAsync);
  }

  /** As {@link #checkpoint()}, without waiting. */
  public CompletableFuture<@Nullable Void> checkpointAsync() {
    return home.calls().checkpoint(this, timeout);
  }

  /** Calls a function on the owner with the object as the first argument. */
  public <R extends @Nullable Object> CompletableFuture<R> async(
      Function<R> function, @Nullable Object... arguments) {
    // The scope of the thread, if it has one, waits for it as for any call.
    return io.hazelgrad.grid.CallScope.collect(call(function, arguments));
  }

  private <R extends @Nullable Object> CompletableFuture<R> call(
      Function<R> function, @Nullable Object... arguments) {
    return home.calls().callOn(this, function, arguments, timeout);
  }

  /** Calls a method of the object. */
  public <R> CompletableFuture<R> async(Function.F1<T, R> method) {
    return async(Function.of(method));
  }

  /** Calls a method of the object with one argument. */
  public <A, R> CompletableFuture<R> async(Function.F2<T, A, R> method, A a) {
    return async(Function.of(method), a);
  }

  /** Calls a method of the object with two arguments. */
  public <A, B, R> CompletableFuture<R> async(Function.F3<T, A, B, R> method, A a, B b) {
    return async(Function.of(method), a, b);
  }

  /** Calls a method of the object with three arguments. */
  public <A, B, C, R> CompletableFuture<R> async(Function.F4<T, A, B, C, R> method, A a, B b, C c) {
    return async(Function.of(method), a, b, c);
  }

  /** Calls a function on the owner with the object as the first argument, and waits. */
  public <R extends @Nullable Object> R sync(Function<R> function, @Nullable Object... arguments) {
    return home.await(() -> call(function, arguments));
  }

  /** Calls a method of the object and waits. */
  public <R> R sync(Function.F1<T, R> method) {
    return home.await(() -> call(Function.of(method)));
  }

  /** Calls a method of the object with one argument and waits. */
  public <A, R> R sync(Function.F2<T, A, R> method, A a) {
    return home.await(() -> call(Function.of(method), a));
  }

  /** Calls a method of the object with two arguments and waits. */
  public <A, B, R> R sync(Function.F3<T, A, B, R> method, A a, B b) {
    return home.await(() -> call(Function.of(method), a, b));
  }

  /** Calls a method of the object with three arguments and waits. */
  public <A, B, C, R> R sync(Function.F4<T, A, B, C, R> method, A a, B b, C c) {
    return home.await(() -> call(Function.of(method), a, b, c));
  }

  /**
   * Calls a function on the owner with the object as the first argument; the result stays there.
   */
  public <R extends @Nullable Object> RRef<R> remote(
      Function<R> function, @Nullable Object... arguments) {
    return home.remoteOn(this, function, arguments, timeout);
  }

  /** Calls a method of the object; its result stays on the owner. */
  public <R> RRef<R> remote(Function.F1<T, R> method) {
    return remote(Function.of(method));
  }

  /** Calls a method of the object with one argument; its result stays on the owner. */
  public <A, R> RRef<R> remote(Function.F2<T, A, R> method, A a) {
    return remote(Function.of(method), a);
  }

  /** Calls a method of the object with two arguments; its result stays on the owner. */
  public <A, B, R> RRef<R> remote(Function.F3<T, A, B, R> method, A a, B b) {
    return remote(Function.of(method), a, b);
  }

  /**
   * Keeps this handle open beyond the end of the call in which it was received or made; then it is
   * yours to close.
   *
   * @return this
   */
  public RRef<T> keep() {
    handle.keep();
    return this;
  }

  /** Returns whether this handle was closed. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /**
   * Closes this handle; the last one anywhere lets the object go. Does not wait. What is under way
   * with it goes on. Closing twice does nothing.
   */
  @Override
  public void close() {
    handle.close();
  }

  public static List<@Nullable Object> list(Object first, @Nullable Object[] rest) {
    List<@Nullable Object> all = new ArrayList<>(rest.length + 1);
    all.add(first);
    for (Object one : rest) {
      all.add(one);
    }
    return all;
  }

  @Override
  public String toString() {
    return "RRef(" + handle + ")";
  }
}
