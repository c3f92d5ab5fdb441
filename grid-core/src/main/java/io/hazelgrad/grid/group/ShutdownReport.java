package io.hazelgrad.grid.group;

import java.time.Duration;
import java.util.List;

/**
 * How a worker's {@link Shutdown} went.
 *
 * @param drained how long its own calls and those that it served were waited for
 * @param waited how long the others were waited for; zero if it left alone
 * @param closed how long the grid took to close
 * @param callsLeft its own calls that had not ended, with their callbacks, when it closed
 * @param servedLeft calls to it that had not ended when it closed
 * @param missing the names of the workers that did not shut down too within the time
 * @param lost the names of the workers that were lost before it began to close
 * @param isClosed whether the grid is closed; otherwise that goes on in the background
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
  /** Copies the lists. */
  public ShutdownReport {
    missing = List.copyOf(missing);
    lost = List.copyOf(lost);
  }

  /** Returns whether nothing was cut off and nobody was missing or lost. */
  public boolean isClean() {
    return callsLeft == 0 && servedLeft == 0 && missing.isEmpty() && lost.isEmpty() && isClosed;
  }
}
