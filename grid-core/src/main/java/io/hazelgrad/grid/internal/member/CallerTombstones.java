package io.hazelgrad.grid.internal.member;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The ids of the last {@link #MAX} callers that went. Threads: safe; asking takes no lock. */
public final class CallerTombstones {
  private static final int MAX = 10_000;

  /** For each id the highest number of the caller's calls that came, if it was given. */
  private final Map<Long, Long> highest = new ConcurrentHashMap<>();

  private final Deque<Long> oldest = new ArrayDeque<>();
  private volatile boolean forgotten;

  /** Adds one; false if it is there already. */
  public boolean add(long id) {
    return add(id, Long.MIN_VALUE);
  }

  /** Adds one with the highest number of its calls; false if it is there already. */
  public synchronized boolean add(long id, long number) {
    boolean isNew = !highest.containsKey(id);
    highest.merge(id, number, Math::max);
    if (isNew) {
      oldest.addLast(id);
      if (oldest.size() > MAX) {
        forgotten = true; // First: it may be asked for meanwhile.
        highest.remove(oldest.removeFirst());
      }
    }
    return isNew;
  }

  public boolean contains(long id) {
    return highest.containsKey(id);
  }

  /** Returns whether a caller was added, or may have been before the oldest one that is left. */
  public boolean mayContain(long id) {
    return highest.containsKey(id) || forgotten;
  }

  /** Returns the highest number of a caller's calls; {@code unknown} if it may be forgotten. */
  public long highest(long id, long unknown) {
    return highest.getOrDefault(id, forgotten ? unknown : Long.MIN_VALUE);
  }
}
