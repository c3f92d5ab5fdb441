package io.hazelgrad.autograd.internal.history;

import io.hazelgrad.autograd.ContextId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The passes that one worker or client has begun: the running ones, and of the ended ones the
 * latest, the latest failed and the slowest. Every pass goes through it, so it only keeps entries;
 * {@link HistoryWriter} takes the changes once per second. Threads: safe.
 */
public final class PassLog {
  private final int capacity;
  private final long keepNanos;
  private final LongSupplier clock;
  private final Map<Long, PassLogEntry> running = new LinkedHashMap<>();
  private final Queue<PassLogEntry> last = new ArrayDeque<>();
  private final Queue<PassLogEntry> failed = new ArrayDeque<>();
  private final Queue<PassLogEntry> slowest =
      new PriorityQueue<>(Comparator.comparingLong(PassLogEntry::nanos));

  /** The numbers of the taken passes, each with whether it had ended then; null if put back. */
  private final Map<Long, @Nullable Boolean> taken = new HashMap<>();

  private long next = 1;

  /** New running and ended passes, and the numbers of passes that are not kept any more. */
  record Changes(List<PassLogEntry> passes, List<Long> dropped) {}

  /** Creates a log that keeps {@code capacity} ended passes of each kind for {@code keepNanos}. */
  public PassLog(int capacity, long keepNanos) {
    this(capacity, keepNanos, System::nanoTime);
  }

  PassLog(int capacity, long keepNanos, LongSupplier clock) {
    this.capacity = capacity;
    this.keepNanos = keepNanos;
    this.clock = clock;
  }

  public boolean isOff() {
    return capacity == 0;
  }

  public synchronized PassLogEntry begin(ContextId context) {
    PassLogEntry pass = new PassLogEntry(next++, context, clock);
    if (capacity > 0) {
      running.put(pass.number(), pass);
    }
    return pass;
  }

  /** Ends a pass, unless it has ended already; without a failure it is committed. */
  public void end(PassLogEntry pass, @Nullable Throwable failure) {
    if (!pass.ended(failure) || capacity == 0) {
      return;
    }
    synchronized (this) {
      running.remove(pass.number());
      add(last, pass);
      add(slowest, pass);
      if (failure != null) {
        add(failed, pass);
      }
    }
  }

  private void add(Queue<PassLogEntry> queue, PassLogEntry pass) {
    queue.add(pass);
    if (queue.size() > capacity) {
      queue.remove();
    }
  }

  synchronized Set<ContextId> contexts() {
    return running.values().stream().map(PassLogEntry::context).collect(Collectors.toSet());
  }

  /** Returns the changes since the last call. */
  synchronized Changes take() {
    Map<Long, PassLogEntry> kept = new LinkedHashMap<>(running);
    for (Queue<PassLogEntry> queue : List.of(last, failed, slowest)) {
      queue.removeIf(pass -> pass.overNanos() > keepNanos);
      queue.forEach(pass -> kept.put(pass.number(), pass));
    }
    List<PassLogEntry> changed = new ArrayList<>();
    kept.forEach(
        (number, pass) -> {
          boolean hasEnded = pass.hasEnded();
          if (!Boolean.valueOf(hasEnded).equals(taken.put(number, hasEnded))) {
            changed.add(pass);
          }
        });
    List<Long> dropped = taken.keySet().stream().filter(each -> !kept.containsKey(each)).toList();
    dropped.forEach(taken::remove);
    return new Changes(changed, dropped);
  }

  /** Puts back what could not be written: the next call of {@link #take} returns it again. */
  synchronized void putBack(Changes changes) {
    changes.passes().forEach(pass -> taken.put(pass.number(), null));
    changes.dropped().forEach(number -> taken.put(number, null));
  }
}
