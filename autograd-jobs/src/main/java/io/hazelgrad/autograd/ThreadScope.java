package io.hazelgrad.autograd;

import java.util.function.Supplier;

/** A scope of a thread. Scopes of one kind nest, and share a counter of those that are open. */
abstract sealed class ThreadScope implements AutoCloseable permits AnomalyMode, NoGrad {
  private final ThreadLocal<Integer> depth;
  private boolean open = true;

  /** Opens a scope on this thread. */
  ThreadScope(ThreadLocal<Integer> depth) {
    this.depth = depth;
    depth.set(depth.get() + 1);
  }

  /** Creates a counter. It is per thread, not per grid: variables are computed without a grid. */
  static ThreadLocal<Integer> counter() {
    return ThreadLocal.withInitial(() -> 0);
  }

  final <T> T run(Supplier<T> work) {
    try {
      return work.get();
    } finally {
      close();
    }
  }

  /** Ends the scope; closing twice does nothing. */
  @Override
  public void close() {
    if (open) {
      open = false;
      int left = depth.get() - 1;
      if (left > 0) {
        depth.set(left);
      } else {
        depth.remove();
      }
    }
  }
}
