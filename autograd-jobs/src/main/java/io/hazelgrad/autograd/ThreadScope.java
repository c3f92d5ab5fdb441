package io.hazelgrad.autograd;

import java.util.function.Supplier;

/** The nested scopes of one kind that are open on each thread. */
final class ThreadScope {
  // Per thread and not per grid: variables are computed without a grid.
  private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);

  /** Opens one more scope on this thread; closing the result twice does nothing. */
  Open begin() {
    depth.set(depth.get() + 1);
    return new Open();
  }

  <T> T within(Supplier<T> work) {
    Open scope = begin();
    try {
      return work.get();
    } finally {
      scope.close();
    }
  }

  boolean isActive() {
    return depth.get() > 0;
  }

  /** An open scope. */
  final class Open {
    private boolean open = true;

    void close() {
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
}
