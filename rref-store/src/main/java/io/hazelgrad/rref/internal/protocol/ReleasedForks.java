package io.hazelgrad.rref.internal.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * The released forks of one RRef. An entry remembers them so that a late command, above all a claim
 * after its own release, cannot revive a fork.
 *
 * <p>Only the newest {@link #LIMIT} are remembered: otherwise the entry of a parameter that a
 * training run hands on a million times would grow for ever. Commands are late by seconds, not by
 * hundreds of handles. If a fork is revived all the same, reconciliation finds that its holder does
 * not know it, and releases it again.
 */
record ReleasedForks(List<ForkId> newestLast) {
  static final int LIMIT = 256;
  static final ReleasedForks NONE = new ReleasedForks(List.of());

  boolean contains(ForkId fork) {
    return newestLast.contains(fork);
  }

  ReleasedForks plus(ForkId fork) {
    return contains(fork) ? this : plusAll(List.of(fork));
  }

  /** Returns these forks and others that are not among them. */
  ReleasedForks plusAll(List<ForkId> forks) {
    int size = newestLast.size();
    int kept = Math.min(size, Math.max(0, LIMIT - forks.size()));
    List<ForkId> all = new ArrayList<>(kept + Math.min(forks.size(), LIMIT));
    all.addAll(newestLast.subList(size - kept, size));
    all.addAll(forks.subList(Math.max(0, forks.size() - LIMIT), forks.size()));
    return new ReleasedForks(all);
  }
}
