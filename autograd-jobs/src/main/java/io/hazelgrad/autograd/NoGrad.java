package io.hazelgrad.autograd;

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
  // Of the thread and not of a grid: variables are computed without one.
  private static final ThreadLocal<Integer> DEPTH = ThreadLocal.withInitial(() -> 0);

  private boolean open = true;

  private NoGrad() {
    DEPTH.set(DEPTH.get() + 1);
  }

  /** Begins a scope on this thread. */
  public static NoGrad begin() {
    return new NoGrad();
  }

  /** Computes something within a scope. */
  public static <T> T within(Supplier<T> work) {
    NoGrad scope = begin();
    try {
      return work.get();
    } finally {
      scope.close();
    }
  }

  /** Returns whether this thread is in a scope. */
  public static boolean isActive() {
    return DEPTH.get() > 0;
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      int left = DEPTH.get() - 1;
      if (left > 0) {
        DEPTH.set(left);
      } else {
        DEPTH.remove();
      }
    }
  }
}
