package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * The history of contexts and backward passes that a worker or client records for SQL, {@link
 * Autograd#recentPasses()} and {@code ./hazelgrad status}. Set it by {@code
 * HazelgradConfig.named("w1").options(HistoryOptions.defaults()...)}.
 *
 * @param passes the number of passes that are kept of each kind, for at most one hour: the latest,
 *     the latest failed, and the slowest; 0 records neither passes nor contexts
 */
public record HistoryOptions(int passes) {
  private static final int MAX_PASSES = 1000;

  /**
   * Checks the options.
   *
   * @throws GridException BAD_CONFIG if the number is negative or above 1,000
   */
  public HistoryOptions {
    if (passes < 0 || passes > MAX_PASSES) {
      throw new GridException(
          Status.BAD_CONFIG, "passes=" + passes + " is not between 0 and " + MAX_PASSES);
    }
  }

  /** Returns the defaults: 50 passes of each kind. */
  public static HistoryOptions defaults() {
    return new HistoryOptions(50);
  }

  /** Returns options for {@code count} passes of each kind. */
  public HistoryOptions withPasses(int count) {
    return new HistoryOptions(count);
  }
}
