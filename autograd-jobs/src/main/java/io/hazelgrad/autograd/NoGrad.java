package io.hazelgrad.autograd;

import java.util.function.Supplier;

/**
 * A scope in which operations of this thread are not recorded: their results need no gradient. Use
 * it for evaluation, and to change parameters by hand.
 *
 * <pre>{@code
 * Variable scores = NoGrad.within(() -> model.forward(x)); // Keeps no intermediate results.
 * }</pre>
 *
 * <p>Scopes nest. Functions that this thread calls on other workers record as usual.
 *
 * <p>Threads: the thread that began a scope must close it. Closing twice does nothing.
 */
public final class NoGrad extends ThreadScope {
  private static final ThreadLocal<Integer> DEPTH = counter();

  private NoGrad() {
    super(DEPTH);
  }

  /** Begins a scope on this thread. */
  public static NoGrad begin() {
    return new NoGrad();
  }

  /** Runs a supplier within a scope. */
  public static <T> T within(Supplier<T> work) {
    return begin().run(work);
  }

  /** Returns whether this thread is in a scope. */
  public static boolean isActive() {
    return DEPTH.get() > 0;
  }
}
