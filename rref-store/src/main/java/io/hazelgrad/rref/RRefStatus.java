package io.hazelgrad.rref;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.List;

/** What tools ask any worker of a grid, for example {@code rpc.sync("w1", RRefStatus::totals)}. */
@RemoteFunctions
public final class RRefStatus {
  private RRefStatus() {}

  /** Returns the totals of all workers of the grid, see {@link RRefs#totals()}. */
  public static List<RRefTotals> totals() {
    return RRefs.on(Grid.current()).totals();
  }
}
