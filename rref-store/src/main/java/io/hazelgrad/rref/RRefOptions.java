package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;

/**
 * The limits of a worker for remote references, set by {@code
 * HazelgradConfig.named("w1").options(RRefOptions.defaults()...)}.
 *
 * @param maxObjects the most objects that the worker owns or makes; more are refused with REJECTED
 * @param maxBytes the most bytes of its objects, counted as {@link HeldRRef#bytes()}; an object
 *     that does not fit is refused with REJECTED after its function has run
 * @param maxDurableBytes the most bytes of the stored value of a durable object; a larger one is
 *     refused with BAD_VALUE. The value travels as one message, which delays other messages
 * @param durableBackups the number of workers, besides the one that stores it, that keep a copy of
 *     each durable value and of each entry of the registry, 1 to 6; no durable object is lost if as
 *     many workers die at once. All workers of a grid must have the same number
 * @param handOverWait how long a worker that leaves waits for the calls that use its durable
 *     objects; what a call changes after that is lost
 * @param fullStacks whether a handle remembers the whole stack of the thread that made it instead
 *     of one line of user code, which costs time and memory for each handle
 * @param failOnLeak whether closing the grid fails with a {@link GridException} if the worker still
 *     holds or owns references then; in any case they are logged and released
 */
public record RRefOptions(
    long maxObjects,
    long maxBytes,
    long maxDurableBytes,
    int durableBackups,
    Duration handOverWait,
    boolean fullStacks,
    boolean failOnLeak) {
  private static final long DURABLE_BYTES = 16L << 20;
  private static final Duration HAND_OVER_WAIT = Duration.ofSeconds(5);
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  /** Hazelcast allows no more. */
  private static final int MOST_BACKUPS = 6;

  /**
   * Checks the options.
   *
   * @throws GridException BAD_CONFIG if a limit is below 1, durableBackups not in 1 to 6, or
   *     handOverWait negative or longer than a day
   */
  public RRefOptions {
    if (maxObjects < 1 || maxBytes < 1 || maxDurableBytes < 1) {
      throw new GridException(
          Status.BAD_CONFIG,
          "limits of RRefs must be at least 1: maxObjects "
              + maxObjects
              + ", maxBytes "
              + maxBytes
              + ", maxDurableBytes "
              + maxDurableBytes);
    }
    if (durableBackups < 1 || durableBackups > MOST_BACKUPS) {
      throw new GridException(
          Status.BAD_CONFIG,
          "durableBackups must be 1 to %s: %s".formatted(MOST_BACKUPS, durableBackups));
    }
    if (handOverWait.isNegative() || handOverWait.compareTo(LONGEST_WAIT) > 0) {
      throw new GridException(
          Status.BAD_CONFIG, "handOverWait must be between 0 and one day: " + handOverWait);
    }
  }

  /**
   * Returns the defaults: no limits but 16 MiB for a durable value, one backup, a wait of 5 s for
   * calls when the worker leaves, no full stacks.
   */
  public static RRefOptions defaults() {
    return new RRefOptions(
        Long.MAX_VALUE, Long.MAX_VALUE, DURABLE_BYTES, 1, HAND_OVER_WAIT, false, false);
  }

  /** Returns these options with another limit on the number of objects. */
  public RRefOptions withMaxObjects(long count) {
    return new RRefOptions(
        count, maxBytes, maxDurableBytes, durableBackups, handOverWait, fullStacks, failOnLeak);
  }

  /** Returns these options with another limit on the objects' bytes. */
  public RRefOptions withMaxBytes(long bytes) {
    return new RRefOptions(
        maxObjects, bytes, maxDurableBytes, durableBackups, handOverWait, fullStacks, failOnLeak);
  }

  /** Returns these options with another limit on the stored value of a durable object. */
  public RRefOptions withMaxDurableBytes(long bytes) {
    return new RRefOptions(
        maxObjects, maxBytes, bytes, durableBackups, handOverWait, fullStacks, failOnLeak);
  }

  /**
   * Returns these options with another number of workers, besides the one that stores it, that keep
   * a copy of each durable value and of each entry of the registry.
   */
  public RRefOptions withDurableBackups(int count) {
    return new RRefOptions(
        maxObjects, maxBytes, maxDurableBytes, count, handOverWait, fullStacks, failOnLeak);
  }

  /**
   * Returns these options with another wait of a worker that leaves, for the calls that use its
   * durable objects.
   */
  public RRefOptions withHandOverWait(Duration longest) {
    return new RRefOptions(
        maxObjects, maxBytes, maxDurableBytes, durableBackups, longest, fullStacks, failOnLeak);
  }

  /** Returns these options with or without full stacks. */
  public RRefOptions withFullStacks(boolean full) {
    return new RRefOptions(
        maxObjects, maxBytes, maxDurableBytes, durableBackups, handOverWait, full, failOnLeak);
  }

  /** Returns these options with a close that fails, or does not, if references are left. */
  public RRefOptions withFailOnLeak(boolean fail) {
    return new RRefOptions(
        maxObjects, maxBytes, maxDurableBytes, durableBackups, handOverWait, fullStacks, fail);
  }
}
