package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.RRef;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Object with an id that counts its hits and may hold a reference to another stone. Copies of a stone do not count as living. */
@RemoteFunctions
@RemoteValue
final class Stone implements AutoCloseable {
  private static final AtomicInteger LIVING = new AtomicInteger();

  private long id;
  private int hits;
  private @Nullable RRef<Stone> inner;
  private long innerId;
  private transient boolean closed;

  /** Whether it was created, and is not a copy. */
  private transient boolean counted;

  /** Constructor for copies. */
  Stone() {}

  private Stone(long id, @Nullable RRef<Stone> inner, long innerId) {
    this.id = id;
    this.inner = inner;
    this.innerId = innerId;
    this.counted = true;
    LIVING.incrementAndGet();
  }

  static Stone plain(long id) {
    return new Stone(id, null, 0);
  }

  /** Keeps a reference to another stone until this one is dropped. */
  static Stone around(long id, RRef<Stone> inner, long innerId) {
    return new Stone(id, inner.keep(), innerId);
  }

  /** Returns how many stones were created in this JVM and not dropped. */
  static int living() {
    return LIVING.get();
  }

  long id() {
    return id;
  }

  @Nullable RRef<Stone> inner() {
    return inner;
  }

  long innerId() {
    return innerId;
  }

  /** Creates another stone on the same worker. */
  Stone beside(long anotherId) {
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
      throw new IllegalStateException("stone " + id + " was dropped, and is used");
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      throw new IllegalStateException("stone " + id + " was dropped twice");
    }
    closed = true;
    if (inner != null) {
      inner.close();
    }
    if (counted) {
      LIVING.decrementAndGet();
    }
  }
}
