package io.hazelgrad.autograd.internal.tape;

import java.util.function.Supplier;

/** What scopes of a thread have in common: how many of one kind are open on it. */
public final class ThreadScope {
  // Of the thread and not of a grid: variables are computed without one.
  private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);

  /** Opens one more on this thread; closing the result twice does nothing. */
  public Open begin() {
    depth.set(depth.get() + 1);
    return new Open();
  }

  public <T> T within(Supplier<T> work) {
    Open scope = begin();
    try {
      return work.get();
    } finally {
      scope.close();
    }
  }

  public boolean isActive() {
    return depth.get() > 0;
  }

  /** One that is open. */
  public final class Open {
    private boolean open = true;

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
}
