package io.hazelgrad.rref;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/**
 * How much one worker owns and holds.
 *
 * @param worker its name
 * @param objects the objects that it owns, those being made included
 * @param bytes of those objects, counted as {@link HeldRRef#bytes()}
 * @param handles the handles that it has
 * @param forgotten how many of its handles the garbage collector had to release, since it joined
 */
@RemoteFunctions
@RemoteValue
public record RRefTotals(String worker, long objects, long bytes, long handles, long forgotten) {
  /**
   * Returns the totals of all workers, as {@link RRefs#totals()} does, for whom is not in the grid:
   * a client calls {@code rpc.sync("w1", RRefTotals::ofAllWorkers)} on any worker.
   */
  public static List<RRefTotals> ofAllWorkers() {
    return RRefs.on(Grid.current()).totals();
  }
}
