package io.hazelgrad.rref.internal.call;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Guesses whether somebody will wait for a creation: the {@value #NEXT} creations after one that
 * was awaited count as awaited, too. This only saves time. Threads: safe.
 */
public final class AwaitedCreations {
  private static final int NEXT = 1000;

  private final AtomicInteger left = new AtomicInteger();

  /** Notes that somebody waits for a creation. */
  public void asked() {
    left.set(NEXT);
  }

  /** Returns whether somebody will probably wait for the creation that begins now. */
  public boolean isNext() {
    return left.get() > 0 && left.getAndDecrement() > 0;
  }
}
