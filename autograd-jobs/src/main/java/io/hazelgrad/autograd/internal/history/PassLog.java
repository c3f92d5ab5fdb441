package io.hazelgrad.autograd.internal.history;

import io.hazelgrad.autograd.ContextId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The passes that one worker or client has begun: the running ones, and of the ended ones the
 * latest, the latest failed and the slowest. Every pass goes through it, so it only keeps entries;
 * {@link HistoryWriter} takes the changes once per second.
 *
 * <p>Threads: safe.
 */
public final class PassLog {
  private final int capacity;
  private final long keepNanos;
  private final Map<Long, PassLogEntry> running = new LinkedHashMap<>();
  private final Queue<PassLogEntry> last = new ArrayDeque<>();
  private final Queue<PassLogEntry> failed = new ArrayDeque<>();
  private final Queue<PassLogEntry> slowest =
      new PriorityQueue<>(Comparator.comparingLong(PassLogEntry::nanos));

  /** The number of these queues that hold a pass. */
  private final Map<PassLogEntry, Integer> kept = new HashMap<>();

  /** Ended passes that were not taken yet, and the numbers of taken passes. */
  private final Map<Long, PassLogEntry> fresh = new LinkedHashMap<>();

  private final Set<Long> taken = new HashSet<>();
  private List<Long> dropped = new ArrayList<>();
  private long next = 1;

  /**
   * The changes since the last call.
   *
   * @param passes new running and ended passes
   * @param dropped the numbers of passes that are not kept any more
   */
  record Changes(List<PassLogEntry> passes, List<Long> dropped) {}

  /**
   * Creates an empty log.
   *
   * @param capacity the number of ended passes kept of each kind; 0 for a log that keeps nothing
   * @param keepNanos the time in nanoseconds that an ended pass is kept
   */
  public PassLog(int capacity, long keepNanos) {
    this.capacity = capacity;
    this.keepNanos = keepNanos;
  }

  public boolean isOff() {
    return capacity == 0;
  }

  /** Adds a pass that begins. */
  public PassLogEntry begin(ContextId context) {
    synchronized (this) {
      PassLogEntry pass = new PassLogEntry(next++, context);
      if (capacity > 0) {
        running.put(pass.number(), pass);
      }
      return pass;
    }
  }

  /** Ends a pass, unless it has ended already; without a failure it is committed. */
  public void end(PassLogEntry pass, @Nullable Throwable failure) {
    if (!pass.ended(failure) || capacity == 0) {
      return;
    }
    synchronized (this) {
      running.remove(pass.number());
      fresh.put(pass.number(), pass);
      kept.put(pass, 1); // Until it is in the queues.
      add(last, pass);
      if (pass.hasFailed()) {
        add(failed, pass);
      }
      add(slowest, pass);
      release(pass);
    }
  }

  private void add(Queue<PassLogEntry> queue, PassLogEntry pass) {
    queue.add(pass);
    kept.merge(pass, 1, Integer::sum);
    if (queue.size() > capacity) {
      release(queue.remove());
    }
  }

  private void release(PassLogEntry pass) {
    int left = kept.getOrDefault(pass, 0) - 1;
    if (left > 0) {
      kept.put(pass, left);
    } else {
      kept.remove(pass);
      fresh.remove(pass.number());
      if (taken.remove(pass.number())) {
        dropped.add(pass.number());
      }
    }
  }

  /** Returns the contexts in which passes run. */
  synchronized Set<ContextId> contexts() {
    Set<ContextId> contexts = new HashSet<>();
    running.values().forEach(pass -> contexts.add(pass.context()));
    return contexts;
  }

  /** Returns and clears the changes. */
  synchronized Changes take() {
    for (Queue<PassLogEntry> queue : List.of(last, failed, slowest)) {
      List<PassLogEntry> old = queue.stream().filter(pass -> pass.overNanos() > keepNanos).toList();
      queue.removeAll(old);
      old.forEach(this::release);
    }
    List<PassLogEntry> changed = new ArrayList<>();
    for (PassLogEntry pass : running.values()) {
      if (taken.add(pass.number())) {
        changed.add(pass);
      }
    }
    changed.addAll(fresh.values());
    taken.addAll(fresh.keySet());
    fresh.clear();
    Changes changes = new Changes(changed, dropped);
    dropped = new ArrayList<>();
    return changes;
  }
}
