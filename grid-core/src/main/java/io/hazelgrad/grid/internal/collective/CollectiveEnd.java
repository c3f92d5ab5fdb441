package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a collective has ended, as one member knows it. A failure ends all rounds; the
 * first one counts. The orderly leave of another member ends only the rounds that it has not ended
 * itself: it may be ahead of the others.
 *
 * <p>Threads: safe.
 */
final class CollectiveEnd {
  private record Leave(GridException why, long rounds) {}

  private volatile @Nullable GridException failure;
  private volatile @Nullable Leave leave;

  /** Notes a failure; returns false if there was one before. */
  synchronized boolean fail(GridException why) {
    if (failure != null) {
      return false;
    }
    failure = why;
    return true;
  }

  /** Notes that another member has left after it had ended so many rounds. */
  synchronized void left(GridException why, long rounds) {
    Leave before = leave;
    if (before == null || rounds < before.rounds) {
      leave = new Leave(why, rounds);
    }
  }

  /** Returns why the first other member has left, or null. */
  @Nullable GridException leaving() {
    Leave left = leave;
    return left == null ? null : left.why;
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Returns why a round, by its number, cannot end any more, or null. */
  @Nullable GridException of(long round) {
    GridException why = failure;
    Leave left = leave;
    return why == null && left != null && round >= left.rounds ? left.why : why;
  }
}
