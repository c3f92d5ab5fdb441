package io.hazelgrad.autograd.internal.pass;

import java.time.Duration;

/** When a pass must have ended. */
public record PassDeadline(long nanos) {
  /** Members that come and go can hit a pass again and again; its deadline ends that. */
  private static final Duration NONE = Duration.ofDays(365);

  /** From now on; zero is none. */
  static PassDeadline in(Duration timeout) {
    boolean none = timeout.isZero() || timeout.compareTo(NONE) > 0;
    return new PassDeadline(System.nanoTime() + (none ? NONE : timeout).toNanos());
  }

  boolean isOver() {
    return System.nanoTime() - nanos > 0;
  }

  /** Returns what is left, at least a moment. */
  public Duration left() {
    return Duration.ofNanos(Math.max(1, nanos - System.nanoTime()));
  }
}
