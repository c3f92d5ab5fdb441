package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.tests.TestDriver;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Rules of the test for the use of open handles: the failures that may occur and the values that a
 * counter must return. {@link TroubleKind#excused} lists the failures that the troubles explain;
 * the test checks those at its end.
 */
final class FailureRules {
  private static final long NEWS_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final TestDriver driver;
  private final ResultLog results;

  FailureRules(TestDriver driver, ResultLog results) {
    this.driver = driver;
    this.results = results;
  }

  /**
   * Records a failure. Some failures are wrong in any situation.
   *
   * @param from the time at which the work began
   * @param self the worker's or client's id when the work began
   */
  void refused(String kind, long from, long self, GridException failure) {
    results.failed(kind, from, failure);
    switch (failure.status()) {
      case WORKER_LOST, UNKNOWN_WORKER, REJECTED, TIMEOUT, NO_QUORUM, FENCED -> {}
      case RREF_LOST, RREF_FAILED, RREF_TIMED_OUT -> {}
      case CONTEXT_CLOSED -> {
        // A worker counted its originator as lost. That is temporary: see RandomWork.checkAll.
      }
      case CLOSED, RREF_CLOSED -> {
        // An agent's own handles stay open until it releases them. A function on a worker
        // that leaves may find its handles closed.
        if (!driver.isLeft() && failure.remote() == null) {
          results.wrong(kind, failure);
        }
      }
      case RREF_GONE -> {
        // A lost worker loses its forks before it learns of its loss. So may the senders of
        // references that travel.
        if (!kind.equals("relay") && !isSoonAnother(self)) {
          results.wrong(kind, failure);
        }
      }
      default -> results.wrong(kind, failure);
    }
  }

  private boolean isSoonAnother(long self) {
    long start = System.nanoTime();
    while (!driver.isLeft() && driver.self().id() == self) {
      if (System.nanoTime() - start > NEWS_NANOS) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  /** Hits a counter. */
  void hit(HeldHandle holding, Supplier<long[]> call) {
    HistoryLog.Use use = HistoryLog.here().hit(holding);
    try {
      long[] idAndHits = call.get();
      use.returned(idAndHits[1]);
      wasHit(holding, idAndHits);
    } catch (GridException e) {
      use.failed(e);
      throw e;
    }
  }

  /** Checks a copy that was fetched through a handle. */
  void wasRead(HeldHandle holding, HitCounter counter) {
    check(holding, counter.id(), counter.hits(), holding.floor());
    if (!holding
        .rref()
        .isDurable()) { // Otherwise the counter may lose hits that it has not returned.
      holding.remember(counter.hits());
    }
  }

  private void wasHit(HeldHandle holding, long[] idAndHits) {
    check(holding, idAndHits[0], idAndHits[1], holding.floor() + 1);
    holding.answered(idAndHits[1]);
  }

  private void check(HeldHandle holding, long id, long hits, long atLeast) {
    if (id != holding.id()) {
      results.wrong("counter " + holding.id() + " was found as " + id);
    }
    if (hits < atLeast) {
      results.wrong("counter " + id + " had " + hits + " hits and not at least " + atLeast);
    }
  }

  /** Returns whether a handle is of no more use after a failure. */
  boolean isUseless(HeldHandle holding, GridException failure) {
    boolean useless = findsUseless(holding, failure);
    if (useless) {
      HistoryLog.here().useless(holding, failure);
    }
    return useless;
  }

  private boolean findsUseless(HeldHandle holding, GridException failure) {
    if (holding.isNotMade()) {
      return true; // Its uses fail like the call that should have created its object.
    }
    boolean another = // For example a reference inside the counter.
        failure.status().name().startsWith("RREF_")
            && !String.valueOf(failure.getMessage()).contains(holding.rref().id() + " ");
    if (another || failure.remote() != null) {
      return false;
    }
    return switch (failure.status()) {
      case RREF_LOST -> {
        if (holding.rref().isDurable()) {
          results.done("lose a durable one"); // Together with its value, if that was lost.
        } else {
          results.lost(driver.self().id(), holding.rref().owner().id());
        }
        yield true;
      }
      case RREF_FAILED, RREF_TIMED_OUT, FENCED -> true;
      default -> false;
    };
  }
}
