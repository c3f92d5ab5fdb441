package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.tests.Seat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Rules of the test for the use of open handles: the failures that may occur and the values that a stone must return. {@link Kind#excused} lists the failures that the troubles explain; the test checks those at its end. */
final class Judge {
  private static final long NEWS_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Seat seat;
  private final Book book;

  Judge(Seat seat, Book book) {
    this.seat = seat;
    this.book = book;
  }

  /** Records a failure. Some failures are wrong in any situation.
   * @param self the worker's or client's id when the work began */
  void refused(String kind, long self, GridException failure) {
    book.failed(kind, failure);
    switch (failure.status()) {
      case WORKER_LOST, UNKNOWN_WORKER, REJECTED, TIMEOUT, NO_QUORUM, FENCED -> {}
      case RREF_LOST, RREF_FAILED, RREF_TIMED_OUT -> {}
      case CONTEXT_CLOSED -> {
        // A worker counted its originator as lost. That is temporary: see Work.checkAll.
      }
      case CLOSED, RREF_CLOSED -> {
        // An agent's own handles stay open until it releases them. A function on a worker
        // that leaves may find its handles closed.
        if (!seat.isLeft() && failure.remote() == null) {
          book.wrong(kind, failure);
        }
      }
      case RREF_GONE -> {
        // A lost worker loses its forks before it learns of its loss. So may the senders of
        // references that travel.
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

  /** Checks a copy that was fetched through a handle. */
  void wasRead(Holding holding, Stone stone) {
    check(holding, stone.id(), stone.hits(), holding.floor());
    if (!holding.rref().isDurable()) { // Otherwise the stone may lose hits that it has not returned.
      holding.remember(stone.hits());
    }
  }

  /** Checks the id and the number of hits that a stone returned. */
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

  /** Returns whether a handle is of no more use after a failure. */
  boolean isUseless(Holding holding, GridException failure) {
    if (holding.rref().creation().isCompletedExceptionally()) {
      return true; // Its uses fail like the call that should have created its object.
    }
    boolean another = // For example a reference inside the stone.
        failure.status().name().startsWith("RREF_")
            && !String.valueOf(failure.getMessage()).contains(holding.rref().id() + " ");
    if (another || failure.remote() != null) {
      return false;
    }
    return switch (failure.status()) {
      case RREF_LOST -> {
        if (holding.rref().isDurable()) {
          book.done("lose a durable one"); // Together with its value, if that was lost.
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
