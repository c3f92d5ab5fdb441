package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** One taking part in a meeting: what for, with whom, until when. */
final class RendezvousAttempt {
  private final RendezvousId meeting;
  private final long version;
  private final Supplier<List<Worker>> members;
  private final Duration timeout;
  private final long startNanos = System.nanoTime();

  RendezvousAttempt(
      RendezvousId meeting, long version, Supplier<List<Worker>> members, Duration timeout) {
    this.meeting = meeting;
    this.version = version;
    this.members = members;
    this.timeout = timeout;
  }

  RendezvousId meeting() {
    return meeting;
  }

  long version() {
    return version;
  }

  /** Looks the members up, by id. */
  List<Worker> members() {
    return members.get();
  }

  /** Returns the time until the deadline, {@link Long#MAX_VALUE} if there is none. */
  long remainingNanos() {
    return timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos() - (System.nanoTime() - startNanos);
  }

  /** Returns the deadline, for people. */
  String within() {
    return timeout.toMillis() > 0 ? timeout.toMillis() + " ms" : timeout.toNanos() + " ns";
  }
}
