package io.hazelgrad.autograd;

import io.hazelgrad.autograd.internal.tape.ThreadScope;
import java.util.function.Supplier;

/**
 * A scope in which nothing is recorded: what this thread computes in it needs no gradient, whatever
 * it is computed from. For evaluation, and for changing parameters by hand.
 *
 * <pre>{@code
 * Variable scores = NoGrad.within(() -> model.forward(x)); // Keeps none of the steps between.
 * }</pre>
 *
 * <p>Scopes nest. They hold for operations on this thread; functions that it calls elsewhere record
 * as they always do.
 *
 * <p>Threads: a scope is of the thread that began it, which must close it; closing twice does
 * nothing.
 */
public final class NoGrad implements AutoCloseable {
  private static final ThreadScope SCOPE = new ThreadScope();

  private final ThreadScope.Open open = SCOPE.begin();

  private NoGrad() {}

  /** Begins a scope on this thread. */
  public static NoGrad begin() {
    return new NoGrad();
  }

  /** Computes something within a scope. */
  public static <T> T within(Supplier<T> work) {
    return SCOPE.within(work);
  }

  /** Returns whether this thread is in a scope. */
  public static boolean isActive() {
    return SCOPE.isActive();
  }

  @Override
  public void close() {
    open.close();
  }
}
