package io.hazelgrad.rref.internal.object;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Guesses for whose creations somebody here waits: those after one that was waited for. Only a hint
 * to save time. Threads: safe.
 */
public final class AwaitedCreations {
  private static final int NEXT = 1000;

  private final AtomicInteger left = new AtomicInteger();

  /** Somebody waits for a creation. */
  public void asked() {
    left.set(NEXT);
  }

  /** Returns whether somebody is likely to wait for the creation that begins now. */
  public boolean isNext() {
    return left.get() > 0 && left.getAndDecrement() > 0;
  }
}
