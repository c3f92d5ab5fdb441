package io.hazelgrad.grid;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Decides which clients are lost: those that no member had a connection of for the whole grace. It
 * knows what it is told at each look, and no time or network of its own.
 *
 * <p>A look that did not reach every member says nothing of clients that it did not find: the
 * silent member may have their connections, so their grace begins anew.
 *
 * <p>Threads: one at a time.
 */
final class ClientWatch {
  private final long graceNanos;
  private final Map<Long, Long> seenNanos = new HashMap<>();

  ClientWatch(Duration grace) {
    this.graceNanos = grace.toNanos();
  }

  /**
   * Takes a look in.
   *
   * @param registered the clients that are in the grid
   * @param connected the incarnations that some member has a connection of
   * @param complete whether every member was asked and answered
   * @param nowNanos when the look began
   * @return those that are lost by now
   */
  List<Worker> look(
      Collection<Worker> registered, Set<UUID> connected, boolean complete, long nowNanos) {
    seenNanos.keySet().retainAll(registered.stream().map(Worker::id).toList());
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

  /** Another member decides now; should it be this one's turn again, each grace begins anew. */
  void rest() {
    seenNanos.clear();
  }
}
