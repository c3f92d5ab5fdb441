package io.hazelgrad.autograd.internal.initiator;

import java.time.Duration;

/** The time at which a pass must have ended. */
record PassDeadline(long nanos) {
  /** The longest timeout. Without any, members that come and go could repeat a pass forever. */
  private static final Duration LONGEST = Duration.ofDays(365);

  /** Creates the deadline that is {@code timeout} from now; zero means none. */
  static PassDeadline in(Duration timeout) {
    boolean none = timeout.isZero() || timeout.compareTo(LONGEST) > 0;
    return new PassDeadline(System.nanoTime() + (none ? LONGEST : timeout).toNanos());
  }

  boolean isOver() {
    return System.nanoTime() - nanos > 0;
  }

  /** Returns the time left, at least 1 ns. */
  Duration left() {
    return Duration.ofNanos(Math.max(1, nanos - System.nanoTime()));
  }
}
