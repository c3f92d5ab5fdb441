package io.hazelgrad.grid.internal.concurrent;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The permit of a thread to run. A thread that waits inside the grid gives it up meanwhile, so
 * nested blocking calls cannot use up all permits and wait for each other.
 */
public abstract class Permit {
  private static final ThreadLocal<@Nullable Permit> HELD = new ThreadLocal<>();

  /** Lets others run; throws REJECTED, and keeps the permit, if too many threads wait already. */
  public abstract void giveUp();

  /** Waits until this thread may run again. Not interruptible: what follows is user code. */
  public abstract void takeBack();

  /** Sets the permit of this thread, null for none; returns the one that it held before. */
  public static @Nullable Permit hold(@Nullable Permit permit) {
    Permit before = HELD.get();
    if (permit == null) {
      HELD.remove();
    } else {
      HELD.set(permit);
    }
    return before;
  }

  /** Waits without a permit. Throws as {@link #giveUp}. */
  public static <T extends @Nullable Object> T waiting(Callable<T> wait) throws Exception {
    Permit held = HELD.get();
    if (held == null) {
      return wait.call();
    }
    held.giveUp();
    HELD.remove();
    try {
      return wait.call();
    } finally {
      held.takeBack();
      HELD.set(held);
    }
  }
}
