package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.rref.internal.protocol.ForkId;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fork by which an owner keeps an entry that it restores, and the progress of asking the
 * holders. They are asked twice, {@link #PAUSE} apart: a reply that was under way during the first
 * time may have brought a handle since.
 *
 * <p>A client that is in the grid but does not answer, because its process does not use references,
 * is awaited for {@link #CLIENT_LIMIT} at most. Threads: safe.
 */
final class OwnerFork {
  /** A living client asks every 10 s, so it has answered long before. */
  static final Duration CLIENT_LIMIT = Duration.ofSeconds(60);

  /** Longer than a worker or client may be frozen and still belong to the grid. */
  static final Duration PAUSE = Duration.ofSeconds(10);

  private final ForkId fork;
  private final Set<Long> answered = new HashSet<>();
  private @Nullable Set<Long> awaited;

  /** The time since which clients are awaited; between the two times, the end of the first. */
  private long sinceNanos;

  private boolean second;

  OwnerFork(ForkId fork) {
    this.fork = fork;
  }

  ForkId fork() {
    return fork;
  }

  /** Returns whether the holders must be asked now. */
  synchronized boolean isDue(long nowNanos) {
    return !second || awaited != null || nowNanos - sinceNanos >= PAUSE.toNanos();
  }

  /** Begins to wait for clients, unless it waits already. */
  synchronized void await(Set<Long> clients, long nowNanos) {
    if (awaited == null) {
      awaited = new HashSet<>(clients);
      sinceNanos = nowNanos;
    }
  }

  synchronized void answered(long client) {
    if (awaited != null) {
      answered.add(client);
    }
  }

  synchronized boolean hasAnswered(long client) {
    return answered.contains(client);
  }

  /** Returns whether a living client has not answered yet. */
  synchronized boolean awaitsAny(Collection<Long> living, long nowNanos) {
    return awaited != null
        && nowNanos - sinceNanos < CLIENT_LIMIT.toNanos()
        && awaited.stream()
            .anyMatch(client -> living.contains(client) && !answered.contains(client));
  }

  /** Notes that all holders have answered; returns whether it was the second and last time. */
  synchronized boolean isOver(long nowNanos) {
    if (second) {
      return true;
    }
    second = true;
    awaited = null;
    answered.clear();
    sinceNanos = nowNanos;
    return false;
  }
}
