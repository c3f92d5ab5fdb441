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
 * The passes that one worker or client has begun: those that run, and of those that have ended the
 * last ones, the last that failed and the slowest. It is on the way of every pass, so it only
 * notes; {@link HistoryWriter} takes what is new once a second.
 *
 * <p>Threads: safe.
 */
public final class PassLog {
  private final int most;
  private final long keepNanos;
  private final Map<Long, PassLogEntry> running = new LinkedHashMap<>();
  private final Queue<PassLogEntry> last = new ArrayDeque<>();
  private final Queue<PassLogEntry> failed = new ArrayDeque<>();
  private final Queue<PassLogEntry> slowest =
      new PriorityQueue<>(Comparator.comparingLong(PassLogEntry::nanos));

  /** In how many of these queues a pass is. */
  private final Map<PassLogEntry, Integer> kept = new HashMap<>();

  /** Ended passes that nobody has taken yet, and the others that somebody has taken. */
  private final Map<Long, PassLogEntry> fresh = new LinkedHashMap<>();

  private final Set<Long> taken = new HashSet<>();
  private List<Long> dropped = new ArrayList<>();
  private long next = 1;

  /**
   * What has changed since the last time.
   *
   * @param passes those that run or have ended
   * @param dropped numbers of those that are kept no more
   */
  record Changes(List<PassLogEntry> passes, List<Long> dropped) {}

  /**
   * Makes an empty log.
   *
   * @param most how many ended passes of each sort are kept; 0 for a log that notes nothing
   * @param keepNanos how long one is kept
   */
  public PassLog(int most, long keepNanos) {
    this.most = most;
    this.keepNanos = keepNanos;
  }

  public boolean isOff() {
    return most == 0;
  }

  /** A pass begins. */
  public PassLogEntry begin(ContextId context) {
    synchronized (this) {
      PassLogEntry pass = new PassLogEntry(next++, context);
      if (most > 0) {
        running.put(pass.number(), pass);
      }
      return pass;
    }
  }

  /** A pass has ended; well, if there is no failure. What is said of it later does not matter. */
  public void end(PassLogEntry pass, @Nullable Throwable failure) {
    if (!pass.ended(failure) || most == 0) {
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
    if (queue.size() > most) {
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

  /** Takes what has changed. */
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
