package io.hazelgrad.rref.internal.protocol;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The forks of one RRef that are known to be over, the newest last.
 *
 * <p>They are remembered so that a command that comes late or before its cause, a claim after its
 * own release above all, cannot bring a fork to life again. Only the newest {@link #LIMIT} are: a
 * parameter that a training run hands on a million times would otherwise grow for ever, and a
 * command is late by seconds, not by hundreds of handles. What slips through this window is a fork
 * whose holder knows nothing of it, and reconciliation with the holder releases it once more.
 */
final class ReleasedForks implements Iterable<ForkId> {
  static final int LIMIT = 256;
  static final ReleasedForks NONE = new ReleasedForks(List.of());

  private final List<ForkId> newestLast;

  private ReleasedForks(List<ForkId> newestLast) {
    this.newestLast = newestLast;
  }

  int size() {
    return newestLast.size();
  }

  boolean contains(ForkId fork) {
    return newestLast.contains(fork);
  }

  /** Remembers a fork; it returns this object when the fork was remembered before. */
  ReleasedForks plus(ForkId fork) {
    return contains(fork) ? this : plusAll(List.of(fork));
  }

  /** Remembers forks of which none was remembered before. */
  ReleasedForks plusAll(List<ForkId> forks) {
    int kept = Math.min(size(), Math.max(0, LIMIT - forks.size()));
    List<ForkId> all = new ArrayList<>(kept + Math.min(forks.size(), LIMIT));
    all.addAll(newestLast.subList(size() - kept, size()));
    all.addAll(forks.subList(Math.max(0, forks.size() - LIMIT), forks.size()));
    return new ReleasedForks(all);
  }

  @Override
  public Iterator<ForkId> iterator() {
    return newestLast.iterator();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ReleasedForks released && newestLast.equals(released.newestLast);
  }

  @Override
  public int hashCode() {
    return newestLast.hashCode();
  }

  @Override
  public String toString() {
    return newestLast.toString();
  }
}
