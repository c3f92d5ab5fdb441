package io.hazelgrad.rref;

import io.hazelgrad.grid.Function;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The calls that make objects and return references to them, for {@link RRefs} and {@link
 * DurableRRefs}. Applications use this interface and do not implement it. Threads: safe.
 */
public interface RemoteCreation {
  /** Calls a function on a worker; its result stays there. */
  <R extends @Nullable Object> RRef<R> remote(
      String to, Function<R> function, @Nullable Object... arguments);

  /** Calls a function on a worker within a deadline; its result stays there. */
  <R extends @Nullable Object> RRef<R> remote(
      Duration deadline, String to, Function<R> function, @Nullable Object... arguments);

  /** Calls a method or constructor without arguments; its result stays on the worker. */
  default <R> RRef<R> remote(String to, Function.F0<R> function) {
    return remote(to, Function.of(function));
  }

  /** Calls a method or constructor with one argument; its result stays on the worker. */
  default <A, R> RRef<R> remote(String to, Function.F1<A, R> function, A a) {
    return remote(to, Function.of(function), a);
  }

  /** Calls a method or constructor with two arguments; its result stays on the worker. */
  default <A, B, R> RRef<R> remote(String to, Function.F2<A, B, R> function, A a, B b) {
    return remote(to, Function.of(function), a, b);
  }

  /** Calls a method or constructor with three arguments; its result stays on the worker. */
  default <A, B, C, R> RRef<R> remote(String to, Function.F3<A, B, C, R> function, A a, B b, C c) {
    return remote(to, Function.of(function), a, b, c);
  }

  /** Calls a method or constructor with four arguments; its result stays on the worker. */
  default <A, B, C, D, R> RRef<R> remote(
      String to, Function.F4<A, B, C, D, R> function, A a, B b, C c, D d) {
    return remote(to, Function.of(function), a, b, c, d);
  }

  /** Makes a reference to an object of this worker. */
  <T extends @Nullable Object> RRef<T> local(T value);
}
