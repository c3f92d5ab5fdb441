package io.hazelgrad.grid.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;

/**
 * Options of a collective. All members give the same.
 *
 * @param timeout the longest wait of a round, of a receive and of joining, for the slowest member;
 *     60 s by default
 * @param sharedMemory whether members on one host use memory that they share; true by default. If
 *     it is false, or a host has no memory to share, each member counts as a host of its own
 */
public record CollectiveOptions(Duration timeout, boolean sharedMemory) {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /** Checks the timeout: BAD_ARGUMENT unless it is longer than zero. */
  public CollectiveOptions {
    if (timeout.isZero() || timeout.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "timeout=" + timeout + ", but every round needs a deadline");
    }
  }

  /** Returns the defaults. */
  public static CollectiveOptions defaults() {
    return new CollectiveOptions(DEFAULT_TIMEOUT, true);
  }

  /** Returns the same with another timeout. */
  public CollectiveOptions withTimeout(Duration newTimeout) {
    return new CollectiveOptions(newTimeout, sharedMemory);
  }

  /** Returns the same with or without shared memory. */
  public CollectiveOptions withSharedMemory(boolean newSharedMemory) {
    return new CollectiveOptions(timeout, newSharedMemory);
  }
}
