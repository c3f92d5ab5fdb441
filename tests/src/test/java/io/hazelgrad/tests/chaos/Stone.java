package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.rref.RRef;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An object that cannot be taken for another one, counts how often it was hit, and may hold another
 * one. A copy is not counted among the living.
 */
@RemoteFunctions
@RemoteValue
final class Stone implements AutoCloseable {
  private static final AtomicInteger LIVING = new AtomicInteger();

  private long id;
  private int hits;
  private @Nullable RRef<Stone> inner;
  private long innerId;
  private transient boolean closed;

  /** Whether it was made, and is no copy. */
  private transient boolean counted;

  /** For copies. */
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

  /** Keeps the other one, until this one is dropped. */
  static Stone around(long id, RRef<Stone> inner, long innerId) {
    return new Stone(id, inner.keep(), innerId);
  }

  /** Returns how many stones were made in this JVM and not dropped. */
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

  /** Makes another one beside it. */
  Stone beside(long anotherId) {
    requireOpen();
    return plain(anotherId);
  }

  /** Counts; returns id and count. */
  synchronized long[] hit() {
    requireOpen();
    hits++;
    return new long[] {id, hits};
  }

  synchronized int hits() {
    return hits;
  }

  /** Somebody calls it through a handle, so it cannot have been dropped. */
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
