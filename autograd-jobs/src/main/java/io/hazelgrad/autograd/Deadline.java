package io.hazelgrad.autograd;

import java.time.Duration;

/** When a pass must have ended. */
record Deadline(long nanos) {
  /** Members that come and go can hit a pass again and again; its deadline ends that. */
  private static final Duration NONE = Duration.ofDays(365);

  /** From now on; zero is none. */
  static Deadline in(Duration timeout) {
    boolean none = timeout.isZero() || timeout.compareTo(NONE) > 0;
    return new Deadline(System.nanoTime() + (none ? NONE : timeout).toNanos());
  }

  boolean isOver() {
    return System.nanoTime() - nanos > 0;
  }

  /** Returns what is left, at least a moment. */
  Duration left() {
    return Duration.ofNanos(Math.max(1, nanos - System.nanoTime()));
  }
}
