package io.hazelgrad.rref;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A counted reference to an object that lives on its owner. This Java object is one <i>handle</i>
 * of the reference. The object stays as long as any handle is open. A call that receives an RRef as
 * an argument or returns one gives the receiver a handle of its own.
 *
 * <p><b>Closing.</b> Close the handles that your own code makes, best with try-with-resources. The
 * grid closes a handle that a <i>called function</i> receives or makes when the call ends, unless
 * the function calls {@link #keep()}. A handle in the result of {@code remote} belongs to the new
 * object and is closed with it. If the garbage collector finds a handle that was never closed, the
 * grid releases it and logs a warning.
 *
 * <p>Applications use this interface and do not implement it. Threads: safe.
 *
 * @param <T> the type of the object
 */
public interface RRef<T extends @Nullable Object> extends AutoCloseable {
  /** Returns the id of the reference, the same for all its handles. */
  RRefId id();

  /** Returns the worker on which the object lives. The owner of a durable object may change. */
  Worker owner();

  /** Returns whether the object lives on this worker. */
  boolean isOwner();

  /** Returns whether the owner has confirmed the creation; true for every received handle. */
  boolean isConfirmed();

  /**
   * Returns a future that ends when the owner has made the object or failed to, without its value.
   * It fails only if the call itself failed, with RREF_TIMED_OUT or the status of the call. If the
   * function threw, the future succeeds and {@link #toHere()} throws. If no creation was awaited
   * lately, the owner may confirm up to 1 ms later, because it groups its commands.
   */
  CompletableFuture<@Nullable Void> creation();

  /** Returns this handle with another deadline for the calls through it; zero means none. */
  RRef<T> within(Duration deadline);

  /**
   * Returns the object itself, on its owner. Waits until it was made.
   *
   * @throws GridException RREF_NOT_OWNER on any other worker; what the creating function threw
   */
  T localValue();

  /**
   * Returns whether the object is there, on its owner, without waiting; false if its creation has
   * not ended or has failed.
   *
   * @throws GridException RREF_NOT_OWNER on any other worker
   */
  boolean hasValue();

  /**
   * Returns a copy of the object; on its owner the object itself. Waits until it was made.
   *
   * @throws GridException what the creating function threw; RREF_LOST if the owner was lost
   */
  T toHere();

  /** Does the same as {@link #toHere()} without waiting. */
  CompletableFuture<T> toHereAsync();

  /**
   * Returns the name of the object's class, null for null, without moving the object. Waits until
   * it was made. The first question costs a round trip to the owner, unless this handle came from a
   * holder that knew the class. A durable object is always asked.
   *
   * @throws GridException what the creating function threw; RREF_LOST if the owner was lost
   */
  @Nullable String type();

  /** Does the same as {@link #type()} without waiting. */
  CompletableFuture<@Nullable String> typeAsync();

  /** Returns whether the object is durable, that is, made by {@link RRefs#durable}. */
  boolean isDurable();

  /**
   * Stores the current value of the durable object, and waits. If the owner dies before the next
   * checkpoint, the changes of later calls are lost. A checkpoint costs a copy of the whole value
   * on two workers. The value is written in the object's monitor, so it may contain half of the
   * changes of a running method that is not {@code synchronized}.
   *
   * @throws GridException BAD_ARGUMENT if the object is not durable; BAD_VALUE or NOT_ALLOWED if
   *     its value cannot be stored
   */
  void checkpoint();

  /** Does the same as {@link #checkpoint()} without waiting. */
  CompletableFuture<@Nullable Void> checkpointAsync();

  /** Calls a function on the owner with the object as the first argument. */
  <R extends @Nullable Object> CompletableFuture<R> async(
      Function<R> function, @Nullable Object... arguments);

  /** Calls a method of the object. */
  default <R> CompletableFuture<R> async(Function.F1<T, R> method) {
    return async(Function.of(method));
  }

  /** Calls a method of the object with one argument. */
  default <A, R> CompletableFuture<R> async(Function.F2<T, A, R> method, A a) {
    return async(Function.of(method), a);
  }

  /** Calls a method of the object with two arguments. */
  default <A, B, R> CompletableFuture<R> async(Function.F3<T, A, B, R> method, A a, B b) {
    return async(Function.of(method), a, b);
  }

  /** Calls a method of the object with three arguments. */
  default <A, B, C, R> CompletableFuture<R> async(
      Function.F4<T, A, B, C, R> method, A a, B b, C c) {
    return async(Function.of(method), a, b, c);
  }

  /** Calls a function on the owner with the object as the first argument, and waits. */
  <R extends @Nullable Object> R sync(Function<R> function, @Nullable Object... arguments);

  /** Calls a method of the object and waits. */
  default <R> R sync(Function.F1<T, R> method) {
    return sync(Function.of(method));
  }

  /** Calls a method of the object with one argument and waits. */
  default <A, R> R sync(Function.F2<T, A, R> method, A a) {
    return sync(Function.of(method), a);
  }

  /** Calls a method of the object with two arguments and waits. */
  default <A, B, R> R sync(Function.F3<T, A, B, R> method, A a, B b) {
    return sync(Function.of(method), a, b);
  }

  /** Calls a method of the object with three arguments and waits. */
  default <A, B, C, R> R sync(Function.F4<T, A, B, C, R> method, A a, B b, C c) {
    return sync(Function.of(method), a, b, c);
  }

  /** Calls a function on the owner with the object as first argument; the result stays there. */
  <R extends @Nullable Object> RRef<R> remote(Function<R> function, @Nullable Object... arguments);

  /** Calls a method of the object; its result stays on the owner. */
  default <R> RRef<R> remote(Function.F1<T, R> method) {
    return remote(Function.of(method));
  }

  /** Calls a method of the object with one argument; its result stays on the owner. */
  default <A, R> RRef<R> remote(Function.F2<T, A, R> method, A a) {
    return remote(Function.of(method), a);
  }

  /** Calls a method of the object with two arguments; its result stays on the owner. */
  default <A, B, R> RRef<R> remote(Function.F3<T, A, B, R> method, A a, B b) {
    return remote(Function.of(method), a, b);
  }

  /**
   * Keeps this handle open beyond the call that received or made it; your code must close it.
   *
   * @return this
   */
  RRef<T> keep();

  /** Returns whether this handle was closed. */
  boolean isClosed();

  /**
   * Closes this handle without waiting. When the last handle of the reference is closed, the owner
   * drops the object. Calls that are under way go on. Closing twice does nothing.
   */
  @Override
  void close();
}
