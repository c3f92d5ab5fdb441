package io.hazelgrad.tests.chaos;

import io.hazelgrad.rref.RRef;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A handle that an agent holds, and what it must lead to. */
final class Holding {
  /** Longer than a reply that carries it is under way. */
  private static final long LOAN_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final RRef<Stone> rref;
  private final long id;
  private final AtomicLong floor;
  private final boolean forgetful;
  private volatile long lentAt;
  private volatile boolean lent;

  /**
   * Takes a handle.
   *
   * @param id of the stone
   * @param floor how often the stone has been hit at least
   * @param forgetful whether the stone may forget hits when its owner is lost, back to the last
   *     checkpoint
   */
  Holding(RRef<Stone> rref, long id, long floor, boolean forgetful) {
    this.forgetful = forgetful;
    this.rref = rref;
    this.id = id;
    this.floor = new AtomicLong(floor);
  }

  RRef<Stone> rref() {
    return rref;
  }

  long id() {
    return id;
  }

  long floor() {
    return floor.get();
  }

  boolean isForgetful() {
    return forgetful;
  }

  /** The stone answered that it was hit so often. */
  void answered(long hits) {
    if (!forgetful) {
      remember(hits);
    }
  }

  /** The stone was hit so often, and will not forget that. */
  void remember(long hits) {
    floor.accumulateAndGet(hits, Math::max);
  }

  /** It goes out in a reply, and must stay open until that is written. */
  void lend() {
    lentAt = System.nanoTime();
    lent = true;
  }

  boolean isLent() {
    return lent && System.nanoTime() - lentAt < LOAN_NANOS;
  }
}
