package io.hazelgrad.grid.group;

import java.time.Duration;
import java.util.List;

/**
 * The result of a worker's {@link Shutdown}.
 *
 * @param drained the time that it waited for its own calls and those that it served
 * @param waited the time that it waited for the others; zero if it left alone
 * @param closed the time that closing took
 * @param callsLeft its own calls that had not ended, with their callbacks, when it closed
 * @param servedLeft the calls to it that had not ended when it closed
 * @param missing the names of the workers that did not shut down in time
 * @param lost the names of the workers that were lost before it began to close
 * @param isClosed whether the grid is closed; if not, closing goes on in the background
 */
public record ShutdownReport(
    Duration drained,
    Duration waited,
    Duration closed,
    long callsLeft,
    long servedLeft,
    List<String> missing,
    List<String> lost,
    boolean isClosed) {
  /** Returns whether no call was cut off and no worker was missing or lost. */
  public boolean isClean() {
    return callsLeft == 0 && servedLeft == 0 && missing.isEmpty() && lost.isEmpty() && isClosed;
  }
}
