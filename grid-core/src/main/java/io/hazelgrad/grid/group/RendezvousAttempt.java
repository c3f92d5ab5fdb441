package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * One rendezvous of this worker.
 *
 * @param version the version of the list of members; 0 if it has none
 * @param members looks up the members, by id
 * @param timeout the time for it; zero for no limit
 */
record RendezvousAttempt(
    RendezvousId rendezvous,
    long version,
    Supplier<List<Worker>> members,
    Duration timeout,
    long startNanos) {
  /** Returns the time until the deadline; {@link Long#MAX_VALUE} if there is none. */
  long remainingNanos() {
    return timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos() - (System.nanoTime() - startNanos);
  }

  String within() {
    return timeout.toMillis() > 0 ? timeout.toMillis() + " ms" : timeout.toNanos() + " ns";
  }
}
