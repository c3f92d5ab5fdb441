package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * What a worker or client writes down of its contexts and backward passes, for SQL, {@link
 * Autograd#recentPasses()} and {@code ./hazelgrad status}; set by {@code
 * HazelgradConfig.named("w1").options(HistoryOptions.defaults()...)}.
 *
 * @param passes how many of its passes it keeps for an hour at most: of the last ones, of the last
 *     ones that failed, and of the slowest, each; 0 for no history at all, of contexts neither
 */
public record HistoryOptions(int passes) {
  private static final int MOST = 1000;
  private static final HistoryOptions DEFAULTS = new HistoryOptions(50);

  /**
   * Checks the options.
   *
   * @throws GridException BAD_CONFIG if the number is negative or above 1,000
   */
  public HistoryOptions {
    if (passes < 0 || passes > MOST) {
      throw new GridException(
          Status.BAD_CONFIG, "passes=" + passes + " is not between 0 and " + MOST);
    }
  }

  /** Returns the defaults: 50 passes of each sort. */
  public static HistoryOptions defaults() {
    return DEFAULTS;
  }

  /** Returns no history. */
  public static HistoryOptions off() {
    return new HistoryOptions(0);
  }

  /** Returns the same for so many passes of each sort. */
  public HistoryOptions withPasses(int count) {
    return new HistoryOptions(count);
  }
}
