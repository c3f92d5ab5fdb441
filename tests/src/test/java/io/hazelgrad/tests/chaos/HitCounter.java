package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.RRef;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Object with an id that counts its hits and may hold a reference to another counter. Copies of a
 * counter do not count as living.
 */
@RemoteFunctions
@RemoteValue
final class HitCounter implements AutoCloseable {
  private static final AtomicInteger LIVING = new AtomicInteger();

  private long id;
  private int hits;
  private @Nullable RRef<HitCounter> inner;
  private long innerId;
  private boolean innerForgetful;
  private transient boolean closed;

  /** Whether it was created, and is not a copy. */
  private transient boolean counted;

  /** Constructor for copies. */
  HitCounter() {}

  private HitCounter(
      long id, @Nullable RRef<HitCounter> inner, long innerId, boolean innerForgetful) {
    this.id = id;
    this.inner = inner;
    this.innerId = innerId;
    this.innerForgetful = innerForgetful;
    this.counted = true;
    LIVING.incrementAndGet();
  }

  static HitCounter plain(long id) {
    return new HitCounter(id, null, 0, false);
  }

  /** Keeps a reference to another counter until this one is dropped. */
  static HitCounter around(long id, RRef<HitCounter> inner, long innerId, boolean innerForgetful) {
    return new HitCounter(id, inner.keep(), innerId, innerForgetful);
  }

  /** Returns how many counters were created in this JVM and not dropped. */
  static int living() {
    return LIVING.get();
  }

  long id() {
    return id;
  }

  @Nullable RRef<HitCounter> inner() {
    return inner;
  }

  long innerId() {
    return innerId;
  }

  boolean isInnerForgetful() {
    return innerForgetful;
  }

  /** Creates another counter on the same worker. */
  HitCounter beside(long anotherId) {
    requireOpen();
    return plain(anotherId);
  }

  /** Counts a hit; returns the id and the number of hits. */
  synchronized long[] hit() {
    requireOpen();
    hits++;
    return new long[] {id, hits};
  }

  synchronized int hits() {
    return hits;
  }

  /** Fails if it was dropped: a call through a handle must find it alive. */
  private synchronized void requireOpen() {
    if (closed) {
      throw new IllegalStateException("counter " + id + " was dropped, and is used");
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      throw new IllegalStateException("counter " + id + " was dropped twice");
    }
    closed = true;
    if (counted) {
      HistoryLog.here().dropped(id);
    }
    if (inner != null) {
      inner.close();
    }
    if (counted) {
      LIVING.decrementAndGet();
    }
  }
}
