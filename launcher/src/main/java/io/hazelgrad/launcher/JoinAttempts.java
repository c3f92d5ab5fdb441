package io.hazelgrad.launcher;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a worker that joins by one member, and tries again when Hazelcast gives up early.
 * Hazelcast looks for that member for a minute, but ends the start when a connection takes longer
 * than a second, as it may on a busy machine.
 */
public final class JoinAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(JoinAttempts.class);
  private static final int MOST = 5;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private JoinAttempts() {}

  /**
   * Joins the grid, in at most five attempts. Each needs a configuration of its own. None begins
   * after a minute.
   *
   * @throws GridException as {@link Grid#join}, of the last attempt
   */
  public static Grid join(Supplier<HazelgradConfig> configurations) {
    return join(configurations.get(), configurations);
  }

  /** Joins as {@link #join(Supplier)}, with a configuration for the first attempt. */
  static Grid join(HazelgradConfig first, Supplier<HazelgradConfig> others) {
    long start = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      try {
        return Grid.join(attempt == 1 ? first : others.get());
      } catch (GridException e) {
        boolean late = System.nanoTime() - start > PATIENCE.toNanos();
        if (attempt == MOST || late || !isStartFailure(e)) {
          throw e;
        }
        LOG.warn("attempt {} of {} to join failed: {}", attempt, MOST, e.getMessage());
      }
    }
  }

  /** Returns whether Hazelcast ended the start, which it does not explain further. */
  static boolean isStartFailure(GridException failure) {
    return failure.status() == Status.BAD_CONFIG
        && failure.getCause() instanceof IllegalStateException;
  }
}
