package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A value that this worker offers to the other members of an all-gather. Receivers may take it
 * before this worker knows them, since they may have heard first that the round is complete.
 * Threads: safe.
 */
final class GatherOffer {
  final long number;
  final @Nullable Object value;

  /** Ends when all receivers have the value, or fails if one cannot read it. */
  final CompletableFuture<@Nullable Void> taken;

  private final Set<Long> finished = ConcurrentHashMap.newKeySet();
  private volatile @Nullable List<Worker> receivers;

  GatherOffer(long number, @Nullable Object value, CompletableFuture<@Nullable Void> taken) {
    this.number = number;
    this.value = value;
    this.taken = taken;
  }

  /** Sets the workers that are to receive the value. */
  void receivers(List<Worker> others) {
    receivers = others;
    check();
  }

  /** Notes that a worker has received the value, or has left. */
  void received(long worker) {
    finished.add(worker);
    check();
  }

  /** Returns the names of the workers that have not received the value yet. */
  List<String> missing() {
    List<Worker> expected = receivers;
    return expected == null
        ? List.of()
        : expected.stream()
            .filter(w -> !finished.contains(w.id()))
            .map(Worker::name)
            .sorted()
            .toList();
  }

  private void check() {
    if (receivers != null && missing().isEmpty()) {
      taken.complete(null);
    }
  }
}
