package io.hazelgrad.rref;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fork by which an owner keeps an entry that it makes anew, and the clients that may hold the
 * RRef. One that is in the grid and does not answer, since its process has no references, or none
 * of this version, is waited for no longer than {@link #PATIENCE}. Threads: safe.
 */
final class Keeper {
  /** A client asks every ten seconds; one that cannot is soon declared lost. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ForkId fork;
  private final Set<Long> answered = new HashSet<>();
  private @Nullable Set<Long> awaited;
  private long sinceNanos;

  Keeper(ForkId fork) {
    this.fork = fork;
  }

  ForkId fork() {
    return fork;
  }

  /** Waits for these clients; only the first time. */
  synchronized void await(Set<Long> clients) {
    if (awaited == null) {
      awaited = new HashSet<>(clients);
      sinceNanos = System.nanoTime();
    }
  }

  synchronized void answered(long client) {
    answered.add(client);
  }

  synchronized boolean hasAnswered(long client) {
    return answered.contains(client);
  }

  /** Returns whether a client that lives has not answered yet. */
  synchronized boolean awaitsAny(Collection<Long> living) {
    return awaited != null
        && System.nanoTime() - sinceNanos < PATIENCE.toNanos()
        && awaited.stream()
            .anyMatch(client -> living.contains(client) && !answered.contains(client));
  }
}
