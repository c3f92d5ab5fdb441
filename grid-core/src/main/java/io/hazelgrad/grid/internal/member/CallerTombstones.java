package io.hazelgrad.grid.internal.member;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The ids of the last {@link #MAX} callers that went. Threads: safe; asking takes no lock. */
public final class CallerTombstones {
  private static final int MAX = 10_000;

  private final Set<Long> ids = ConcurrentHashMap.newKeySet();
  private final Deque<Long> oldest = new ArrayDeque<>();
  private volatile boolean forgotten;

  /** Adds one; false if it is there already. */
  public synchronized boolean add(long id) {
    if (!ids.add(id)) {
      return false;
    }
    oldest.addLast(id);
    if (oldest.size() > MAX) {
      forgotten = true; // First: it may be asked for meanwhile.
      ids.remove(oldest.removeFirst());
    }
    return true;
  }

  public boolean contains(long id) {
    return ids.contains(id);
  }

  /** Returns whether a caller was added, or may have been before the oldest one that is left. */
  public boolean mayContain(long id) {
    return ids.contains(id) || forgotten;
  }
}
