package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.tests.Seat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Says what may be and what must never be: how uses of open handles may fail, what a stone must
 * answer. Which failures the troubles explain is looked at in the end, see {@link Kind#excused}.
 */
final class Judge {
  private static final long NEWS_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Seat seat;
  private final Book book;

  Judge(Seat seat, Book book) {
    this.seat = seat;
    this.book = book;
  }

  /**
   * Writes a failure down; some must never be, whatever happens to whomever.
   *
   * @param self who the seat was when the work began
   */
  void refused(String kind, long self, GridException failure) {
    book.failed(kind, failure);
    switch (failure.status()) {
      case WORKER_LOST, UNKNOWN_WORKER, REJECTED, TIMEOUT, NO_QUORUM, FENCED -> {}
      case RREF_LOST, RREF_FAILED, RREF_TIMED_OUT -> {}
      case CONTEXT_CLOSED -> {
        // Somebody took its originator for lost. It does not stay so: see Work.checkAll.
      }
      case CLOSED, RREF_CLOSED -> {
        // Its own handles are open until they are let go. A function that runs on a worker that
        // leaves may find its handles closed.
        if (!seat.isLeft() && failure.remote() == null) {
          book.wrong(kind, failure);
        }
      }
      case RREF_GONE -> {
        // Who was given up has lost its forks before it learns of that, and so may those have who
        // pass something on.
        if (!kind.equals("relay") && !isSoonAnother(self)) {
          book.wrong(kind, failure);
        }
      }
      default -> book.wrong(kind, failure);
    }
  }

  private boolean isSoonAnother(long self) {
    long start = System.nanoTime();
    while (!seat.isLeft() && seat.self().id() == self) {
      if (System.nanoTime() - start > NEWS_NANOS) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  /** A copy was fetched through a handle. */
  void wasRead(Holding holding, Stone stone) {
    check(holding, stone.id(), stone.hits(), holding.floor());
    if (!holding.rref().isDurable()) { // Else it may forget what it has not answered.
      holding.remember(stone.hits());
    }
  }

  /** A stone was hit through a handle, and answered with its id and count. */
  void wasHit(Holding holding, long[] idAndHits) {
    check(holding, idAndHits[0], idAndHits[1], holding.floor() + 1);
    holding.answered(idAndHits[1]);
  }

  private void check(Holding holding, long id, long hits, long atLeast) {
    if (id != holding.id()) {
      book.wrong("stone " + holding.id() + " was found as " + id);
    }
    if (hits < atLeast) {
      book.wrong("stone " + id + " had " + hits + " hits and not at least " + atLeast);
    }
  }

  /** Returns whether a handle that a use failed of can be let go. */
  boolean isUseless(Holding holding, GridException failure) {
    if (holding.rref().creation().isCompletedExceptionally()) {
      return true; // Its uses end as the call that should have made it.
    }
    boolean another = // Such as one inside the stone.
        failure.status().name().startsWith("RREF_")
            && !String.valueOf(failure.getMessage()).contains(holding.rref().id() + " ");
    if (another || failure.remote() != null) {
      return false;
    }
    return switch (failure.status()) {
      case RREF_LOST -> {
        if (holding.rref().isDurable()) {
          book.done("lose a durable one"); // With its value, if that was lost.
        } else {
          book.lost(seat.self().id(), holding.rref().owner().id());
        }
        yield true;
      }
      case RREF_FAILED, RREF_TIMED_OUT, FENCED -> true;
      default -> false;
    };
  }
}
