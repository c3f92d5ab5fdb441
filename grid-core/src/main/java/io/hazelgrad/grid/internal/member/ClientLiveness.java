package io.hazelgrad.grid.internal.member;

import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Judges which clients are lost: those that no member had a connection of for the whole grace.
 *
 * <p>The grace begins anew if a connection may be hidden: for clients that a look did not find
 * because it did not reach every member, and for all clients after a pause of a whole grace between
 * two looks, as of a member that was frozen. Threads: one at a time.
 */
final class ClientLiveness {
  private final long graceNanos;
  private final Map<Long, Long> seenNanos = new HashMap<>();
  private long lastNanos;

  ClientLiveness(Duration grace) {
    this.graceNanos = TimeUnit.NANOSECONDS.convert(grace); // The longest if it is longer.
  }

  /**
   * Returns the clients that are lost by now.
   *
   * @param registered the clients that are in the grid
   * @param connected the incarnations that some member has a connection of
   * @param complete whether every member was asked and answered
   * @param nowNanos the time at which the look began
   */
  List<Worker> look(
      Collection<Worker> registered, Set<UUID> connected, boolean complete, long nowNanos) {
    if (nowNanos - lastNanos >= graceNanos) {
      rest();
    }
    lastNanos = nowNanos;
    seenNanos.keySet().retainAll(registered.stream().map(Worker::id).collect(Collectors.toSet()));
    for (Worker client : registered) {
      if (!complete || connected.contains(client.incarnation())) {
        seenNanos.put(client.id(), nowNanos);
      } else {
        seenNanos.putIfAbsent(client.id(), nowNanos);
      }
    }
    return registered.stream()
        .filter(client -> nowNanos - seenNanos.getOrDefault(client.id(), nowNanos) >= graceNanos)
        .toList();
  }

  /** Makes the grace of each client begin anew. */
  void rest() {
    seenNanos.clear();
  }
}
