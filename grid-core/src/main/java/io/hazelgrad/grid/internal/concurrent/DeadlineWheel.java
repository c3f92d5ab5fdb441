package io.hazelgrad.grid.internal.concurrent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timer of one grid: the deadlines of the calls that it makes and serves, and short pauses.
 * Adding and removing an entry costs two short locks that are seldom contended, and no task of the
 * executor. An entry expires at most {@link #TICK_NANOS} and one turn of the scheduler after its
 * time, never before it. The wheel turns only while it holds something. A slot knows the last tick
 * for which it was visited, so nothing is added where the wheel has just been, which would cost a
 * whole round. Threads: safe.
 */
public final class DeadlineWheel {
  /** Something that ends at a time. Only one at a time may be on the wheel. */
  public abstract static class Entry {
    private long atNanos;
    private @Nullable Slot slot;
    private @Nullable Entry before;
    private @Nullable Entry after;

    /** Runs on the timer, so briefly, when the time has passed and this is off the wheel. */
    public abstract void expired();
  }

  /** Entries whose time is of the same tick, in any round. */
  private static final class Slot {
    private long visited = -1;
    private @Nullable Entry first;

    synchronized boolean add(Entry entry, long tick) {
      if (visited >= tick) {
        return false;
      }
      entry.slot = this;
      entry.before = null;
      entry.after = first;
      if (first != null) {
        first.before = entry;
      }
      first = entry;
      return true;
    }

    synchronized boolean remove(Entry entry) {
      if (entry.slot != this) {
        return false;
      }
      if (entry.before == null) {
        first = entry.after;
      } else {
        entry.before.after = entry.after;
      }
      if (entry.after != null) {
        entry.after.before = entry.before;
      }
      entry.slot = null;
      entry.before = null;
      entry.after = null;
      return true;
    }

    synchronized void visit(long tick, long now, List<Entry> expired) {
      visited = tick;
      Entry next = first;
      while (next != null) {
        Entry entry = next;
        next = entry.after;
        if (entry.atNanos - now <= 0) {
          remove(entry);
          expired.add(entry);
        }
      }
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(DeadlineWheel.class);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int SLOTS = 1024;

  /** An empty wheel goes on for so many ticks: calls one after another shall not restart it. */
  private static final int IDLE_TICKS = 500;

  private final ScheduledExecutorService timer;
  private final long startNanos = System.nanoTime();
  private final Slot[] slots = new Slot[SLOTS];
  private final AtomicInteger size = new AtomicInteger();
  private volatile boolean turning;
  private volatile long current;
  private @Nullable Future<?> turns;
  private int idle;

  public DeadlineWheel(ScheduledExecutorService timer) {
    this.timer = timer;
    Arrays.setAll(slots, i -> new Slot());
  }

  /** Lets an entry expire at a time in {@link System#nanoTime()} terms; MAX_VALUE is never. */
  public void add(Entry entry, long atNanos) {
    if (atNanos == Long.MAX_VALUE) {
      return;
    }
    entry.atNanos = atNanos;
    size.incrementAndGet();
    long tick = tick(atNanos) + 1; // When the tick is visited, the time has passed.
    do {
      tick = Math.max(tick, current + 1);
    } while (!slot(tick).add(entry, tick));
    if (!turning) {
      turn();
    }
  }

  /** Runs something short on the timer after {@code nanos}, unless the entry is removed. */
  public Entry after(long nanos, Runnable work) {
    Entry entry =
        new Entry() {
          @Override
          public void expired() {
            work.run();
          }
        };
    add(entry, System.nanoTime() + nanos);
    return entry;
  }

  public void remove(Entry entry) {
    Slot slot = entry.slot;
    if (slot != null && slot.remove(entry)) {
      size.decrementAndGet();
    }
  }

  public int size() {
    return size.get();
  }

  boolean isTurning() {
    return turning;
  }

  private long tick(long nanos) {
    return (nanos - startNanos) / TICK_NANOS;
  }

  private Slot slot(long tick) {
    return slots[(int) (tick & (SLOTS - 1))];
  }

  private synchronized void turn() {
    if (turning) {
      return;
    }
    turning = true;
    idle = 0;
    try {
      turns = timer.scheduleAtFixedRate(this::visit, TICK_NANOS, TICK_NANOS, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("no deadlines any more: the grid is closing", e); // And ends all calls itself.
    }
  }

  private void visit() {
    long now = System.nanoTime();
    long last = tick(now);
    List<Entry> expired = new ArrayList<>(0);
    for (long tick = Math.max(current + 1, last - SLOTS + 1); tick <= last; tick++) {
      slot(tick).visit(tick, now, expired);
    }
    current = last;
    size.addAndGet(-expired.size());
    for (Entry entry : expired) {
      try {
        entry.expired();
      } catch (RuntimeException | Error e) { // The others must end, too, and the wheel turn on.
        LOG.error("the end of {} failed", entry, e);
      }
    }
    if (size.get() > 0) {
      idle = 0;
    } else if (++idle > IDLE_TICKS) {
      rest();
    }
  }

  private synchronized void rest() {
    turning = false;
    if (size.get() > 0) { // Added before turning was false, so nobody else starts it.
      turning = true;
    } else if (turns != null) {
      turns.cancel(false);
    }
  }
}
