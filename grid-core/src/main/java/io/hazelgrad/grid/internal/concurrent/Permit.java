package io.hazelgrad.grid.internal.concurrent;

import io.hazelgrad.grid.GridException;
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

  /**
   * Gives this thread's permit up, before it waits; returns it for {@link #resume}, null for none.
   *
   * @throws GridException REJECTED if too many threads wait already
   */
  public static @Nullable Permit pause() {
    Permit held = HELD.get();
    if (held != null) {
      held.giveUp();
      HELD.remove();
    }
    return held;
  }

  /** Takes a permit back after the wait. */
  public static void resume(@Nullable Permit held) {
    if (held != null) {
      held.takeBack();
      HELD.set(held);
    }
  }
}
