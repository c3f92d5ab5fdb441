package io.hazelgrad.rref.internal.object;

import io.hazelgrad.rref.internal.protocol.ForkId;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fork by which an owner keeps an entry that it makes anew, and how far asking the holders has
 * come. They are asked twice: a reply that was on its way when its receiver was asked may have
 * brought a handle since. Between the two lies {@link #PAUSE}.
 *
 * <p>A client that is in the grid and does not answer, since its process has no references, or none
 * of this version, is waited for no longer than {@link #PATIENCE}. Threads: safe.
 */
public final class OwnerFork {
  /** A client asks every ten seconds; one that cannot is soon declared lost. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Longer than a worker or client may be frozen and still belong to the grid. */
  public static final Duration PAUSE = Duration.ofSeconds(10);

  private final ForkId fork;
  private final Set<Long> answered = new HashSet<>();
  private @Nullable Set<Long> awaited;

  /** Since when clients are awaited; after the first time, when all had answered. */
  private long sinceNanos;

  private boolean second;

  public OwnerFork(ForkId fork) {
    this.fork = fork;
  }

  public ForkId fork() {
    return fork;
  }

  /** Returns whether the holders are to be asked now. */
  public synchronized boolean isDue(long nowNanos) {
    return !second || awaited != null || nowNanos - sinceNanos >= PAUSE.toNanos();
  }

  /** Begins to wait for these clients, unless it does so already. */
  public synchronized void await(Set<Long> clients, long nowNanos) {
    if (awaited == null) {
      awaited = new HashSet<>(clients);
      sinceNanos = nowNanos;
    }
  }

  public synchronized void answered(long client) {
    if (awaited != null) {
      answered.add(client);
    }
  }

  public synchronized boolean hasAnswered(long client) {
    return answered.contains(client);
  }

  /** Returns whether a client that lives has not answered yet. */
  public synchronized boolean awaitsAny(Collection<Long> living, long nowNanos) {
    return awaited != null
        && nowNanos - sinceNanos < PATIENCE.toNanos()
        && awaited.stream()
            .anyMatch(client -> living.contains(client) && !answered.contains(client));
  }

  /** All have answered. Returns whether that was the second time, which is the last. */
  public synchronized boolean isOver(long nowNanos) {
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
