package io.hazelgrad.cli;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The references and contexts that are left in a grid after a run closed all of its own.
 *
 * @param rrefs the number of RRefs that have handles
 * @param contexts the number of contexts that workers know
 */
@RemoteFunctions
record GridLeftovers(int rrefs, int contexts) {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(10);

  /** Returns how many contexts the called worker knows. */
  static int contextsHere() {
    return Autograd.on(Grid.current()).contextCount();
  }

  /**
   * Counts until nothing is left, for 10 s at most. A close takes effect after a moment, so the
   * first count may be too high.
   */
  static GridLeftovers await(Grid grid) {
    long end = System.nanoTime() + LIMIT.toNanos();
    GridLeftovers left = count(grid);
    while (!left.isNone() && System.nanoTime() < end) {
      LockSupport.parkNanos(PAUSE.toNanos());
      left = count(grid);
    }
    return left;
  }

  private static GridLeftovers count(Grid grid) {
    Function<Integer> count = Function.of(GridLeftovers::contextsHere);
    int contexts = grid.workers().stream().mapToInt(worker -> grid.rpc().sync(worker, count)).sum();
    return new GridLeftovers(RRefs.on(grid).liveCount(), contexts);
  }

  boolean isNone() {
    return rrefs == 0 && contexts == 0;
  }

  @Override
  public String toString() {
    return "left behind: RRefs " + rrefs + ", contexts " + contexts;
  }
}
