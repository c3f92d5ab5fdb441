package io.hazelgrad.rref;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes durable objects: their value is stored on two workers as of the last checkpoint, and when
 * their owner dies or leaves, another worker becomes the owner.
 *
 * <pre>{@code
 * RRef<Counter> counter =
 *     rrefs.durable(Durability.EVERY_REPLY).remote("w1", Counter::new);
 * int count = counter.sync(Counter::add, 3); // Also if w1 has left meanwhile.
 * }</pre>
 *
 * <p>Their class must be one whose values may travel, as arguments do, on all workers; the value
 * may not contain an {@link RRef} or a variable, nor have more than {@link
 * RRefOptions#maxDurableBytes()} bytes. A value that cannot be stored ends the creation: what uses
 * the object throws why. An object that is {@link AutoCloseable} is closed whenever it leaves an
 * owner.
 *
 * <p><b>When the owner is lost</b>, calls wait, within their deadline, until there is another one.
 * A call that may have run on the old one fails with WORKER_LOST, and is not run again; {@code
 * toHere()} and {@code type()} are. What is lost of the value is said at {@link Durability}. Only
 * if all workers that stored it die together is it lost as a whole: RREF_LOST.
 *
 * <p>Threads: safe.
 */
public final class DurableRRefs {
  private final RRefs home;
  private final Durability durability;

  DurableRRefs(RRefs home, Durability durability) {
    this.home = home;
    this.durability = durability;
  }

  /** Calls a function on a worker; its result stays there. */
  public <R extends @Nullable Object> RRef<R> remote(
      String to, Function<R> function, @Nullable Object... arguments) {
    return home.createDurable(to, function, arguments, null, durability);
  }

  /** Calls a method or constructor without arguments; its result stays on the worker. */
  public <R> RRef<R> remote(String to, Function.F0<R> function) {
    return remote(to, Function.of(function));
  }

  /** Calls a method or constructor with one argument; its result stays on the worker. */
  public <A, R> RRef<R> remote(String to, Function.F1<A, R> function, A a) {
    return remote(to, Function.of(function), a);
  }

  /** Calls a method or constructor with two arguments; its result stays on the worker. */
  public <A, B, R> RRef<R> remote(String to, Function.F2<A, B, R> function, A a, B b) {
    return remote(to, Function.of(function), a, b);
  }

  /** Calls a method or constructor with three arguments; its result stays on the worker. */
  public <A, B, C, R> RRef<R> remote(String to, Function.F3<A, B, C, R> function, A a, B b, C c) {
    return remote(to, Function.of(function), a, b, c);
  }

  /** Calls a method or constructor with four arguments; its result stays on the worker. */
  public <A, B, C, D, R> RRef<R> remote(
      String to, Function.F4<A, B, C, D, R> function, A a, B b, C c, D d) {
    return remote(to, Function.of(function), a, b, c, d);
  }

  /** Calls a function on a worker within a deadline; its result stays there. */
  public <R extends @Nullable Object> RRef<R> remote(
      Duration deadline, String to, Function<R> function, @Nullable Object... arguments) {
    return home.createDurable(to, function, arguments, deadline, durability);
  }

  /**
   * Makes a reference to an object of this worker, as {@link RRefs#local} does. It is stored when
   * it is first shared; before, nobody else could go on with it.
   *
   * @throws GridException as {@link RRefs#local}; BAD_VALUE or NOT_ALLOWED if the value cannot be
   *     stored
   */
  public <T extends @Nullable Object> RRef<T> local(T value) {
    return home.local(value, durability);
  }
}
