package io.hazelgrad.autograd;

import io.hazelgrad.grid.Tensor;
import java.util.function.Supplier;

/**
 * A scope in which the first NaN or infinite value fails the operation that computed it. A forward
 * operation fails at once; a gradient fails the backward pass. The error names the operation, the
 * line of the program that called it, and the worker.
 *
 * <pre>{@code
 * AnomalyMode.within(() -> train(batch)); // Fails: the gradient of sqrt, called at Model.java:17, ...
 * }</pre>
 *
 * <p>The scope also detects a saved tensor that was changed before its gradient was computed, for
 * example by a write into an array that was given to {@link Tensor#wrap}.
 *
 * <p>A {@link Context} opened within the scope applies it to all calls of the context, on all
 * workers. The scope reads every element of every result and gradient and walks the stack for each
 * operation. Use it to find an error, not for training.
 *
 * <p>Threads: a scope belongs to the thread that began it, and that thread must close it. Closing
 * twice does nothing. Scopes nest.
 */
public final class AnomalyMode extends ThreadScope {
  private static final ThreadLocal<Integer> DEPTH = counter();

  private AnomalyMode() {
    super(DEPTH);
  }

  /** Begins a scope on this thread. */
  public static AnomalyMode begin() {
    return new AnomalyMode();
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
