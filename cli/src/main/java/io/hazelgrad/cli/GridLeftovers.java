package io.hazelgrad.cli;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Counts the references and contexts that are left in a grid after a run closed all of its own. */
@RemoteFunctions
final class GridLeftovers {
  private static final long PAUSE_NANOS = 10_000_000;

  /** The number of RRefs that have handles, and of contexts that workers know. */
  record Count(int rrefs, int contexts) {
    boolean isNone() {
      return rrefs == 0 && contexts == 0;
    }
  }

  private GridLeftovers() {}

  /** Returns how many contexts the called worker knows. */
  static int contexts() {
    return Autograd.on(Grid.current()).contextCount();
  }

  /**
   * Counts until nothing is left or the limit is over. A close takes effect after a moment, so the
   * first count may be too high.
   */
  static Count await(Grid grid, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    Count count = count(grid);
    while (!count.isNone() && System.nanoTime() < end) {
      LockSupport.parkNanos(PAUSE_NANOS);
      count = count(grid);
    }
    return count;
  }

  private static Count count(Grid grid) {
    Function<Integer> count = Function.of(GridLeftovers::contexts);
    int contexts = 0;
    for (Worker worker : grid.workers()) {
      contexts += grid.rpc().sync(worker, count);
    }
    return new Count(RRefs.on(grid).liveCount(), contexts);
  }
}
