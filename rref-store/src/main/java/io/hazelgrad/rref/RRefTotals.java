package io.hazelgrad.rref;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/**
 * The numbers of objects and handles of one worker.
 *
 * @param worker its name
 * @param objects the number of objects that it owns, including those being made
 * @param bytes the bytes of those objects, counted as {@link HeldRRef#bytes()}
 * @param handles the number of handles that it holds
 * @param forgotten the number of handles that the garbage collector released since it joined
 */
@RemoteFunctions
@RemoteValue
public record RRefTotals(String worker, long objects, long bytes, long handles, long forgotten) {
  /**
   * Returns the totals of all workers, as {@link RRefs#totals()} does. A client that does not use
   * references calls {@code rpc.sync("w1", RRefTotals::ofAllWorkers)} on any worker.
   */
  public static List<RRefTotals> ofAllWorkers() {
    return RRefs.on(Grid.current()).totals();
  }
}
