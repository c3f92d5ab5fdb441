package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** One rendezvous of this worker: its identity, members and deadline. */
final class RendezvousAttempt {
  private final RendezvousId rendezvous;
  private final long version;
  private final Supplier<List<Worker>> members;
  private final Duration timeout;
  private final long startNanos = System.nanoTime();

  RendezvousAttempt(
      RendezvousId rendezvous, long version, Supplier<List<Worker>> members, Duration timeout) {
    this.rendezvous = rendezvous;
    this.version = version;
    this.members = members;
    this.timeout = timeout;
  }

  RendezvousId rendezvous() {
    return rendezvous;
  }

  long version() {
    return version;
  }

  /** Looks up the members, by id. */
  List<Worker> members() {
    return members.get();
  }

  /** Returns the time until the deadline; {@link Long#MAX_VALUE} if there is none. */
  long remainingNanos() {
    return timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos() - (System.nanoTime() - startNanos);
  }

  /** Returns the deadline as text. */
  String within() {
    return timeout.toMillis() > 0 ? timeout.toMillis() + " ms" : timeout.toNanos() + " ns";
  }
}
