package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.rref.RRef;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Handle that an agent holds, with the state that its object must have. */
final class HeldHandle {
  /** When the value of a counter is stored. */
  enum Kind {
    PLAIN,
    EVERY_REPLY,
    ON_REQUEST
  }

  /** Longer than the sending of a reply that carries the handle. */
  private static final long LOAN_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final RRef<HitCounter> rref;
  private final long id;
  private final AtomicLong floor;
  private final boolean forgetful;
  private final long number;
  private volatile long lentAt;
  private volatile boolean lent;

  /**
   * Creates the record of a handle.
   *
   * @param id the id of the counter
   * @param floor the smallest possible number of the counter's hits
   * @param forgetful whether the counter may lose hits back to its last checkpoint when its owner
   *     is lost
   */
  HeldHandle(RRef<HitCounter> rref, long id, long floor, boolean forgetful) {
    this.forgetful = forgetful;
    this.rref = rref;
    this.id = id;
    this.floor = new AtomicLong(floor);
    number = HistoryLog.here().held(id, kind(), rref.owner().name());
    // A handle may be closed without a use that would tell that its object was not made.
    var unused =
        rref.creation()
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null && Causes.of(failure) instanceof GridException known) {
                    HistoryLog.here().useless(this, known);
                  }
                });
  }

  RRef<HitCounter> rref() {
    return rref;
  }

  long id() {
    return id;
  }

  long floor() {
    return floor.get();
  }

  Kind kind() {
    if (!rref.isDurable()) {
      return Kind.PLAIN;
    }
    return forgetful ? Kind.ON_REQUEST : Kind.EVERY_REPLY;
  }

  void close() {
    HistoryLog.here().closing(number);
    rref.close();
  }

  /** Returns whether the creation of the object has failed, as far as is known here. */
  boolean isNotMade() {
    return rref.creation().isCompletedExceptionally();
  }

  boolean isForgetful() {
    return forgetful;
  }

  /** Takes the number of hits that the counter returned. */
  void answered(long hits) {
    if (!forgetful) {
      remember(hits);
    }
  }

  /** Takes a number of hits that the counter cannot lose any more. */
  void remember(long hits) {
    floor.accumulateAndGet(hits, Math::max);
  }

  /** Marks the handle as part of a reply. It stays open until the reply is written. */
  void lend() {
    lentAt = System.nanoTime();
    lent = true;
  }

  boolean isLent() {
    return lent && System.nanoTime() - lentAt < LOAN_NANOS;
  }
}
