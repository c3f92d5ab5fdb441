package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * What a worker allows its remote references; set by {@code
 * HazelgradConfig.named("w1").options(RRefOptions.defaults()...)}.
 *
 * @param maxObjects how many objects the worker owns at most, those being made included; more are
 *     refused with REJECTED
 * @param maxBytes how many bytes its objects have at most, counted as {@link HeldRRef#bytes()};
 *     more are refused with REJECTED, an object that does not fit after its function has run
 * @param maxDurableBytes how many bytes the stored value of a durable object has at most; a larger
 *     one is refused with BAD_VALUE when it is to be stored. It travels as one message, and others
 *     wait behind it
 * @param fullStacks whether a handle remembers the whole stack of the thread that made it, and not
 *     only the line of the user's code; costs time and memory for each handle
 */
public record RRefOptions(
    long maxObjects, long maxBytes, long maxDurableBytes, boolean fullStacks) {
  private static final long DURABLE_BYTES = 16L << 20;

  /**
   * Checks the options.
   *
   * @throws GridException BAD_CONFIG if a limit is below 1
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
  }

  /** Returns the defaults: no limits but 16 MiB for a durable value, no full stacks. */
  public static RRefOptions defaults() {
    return new RRefOptions(Long.MAX_VALUE, Long.MAX_VALUE, DURABLE_BYTES, false);
  }

  /** Returns the same with another limit on the number of objects. */
  public RRefOptions withMaxObjects(long count) {
    return new RRefOptions(count, maxBytes, maxDurableBytes, fullStacks);
  }

  /** Returns the same with another limit on the objects' bytes. */
  public RRefOptions withMaxBytes(long bytes) {
    return new RRefOptions(maxObjects, bytes, maxDurableBytes, fullStacks);
  }

  /** Returns the same with another limit on the stored value of a durable object. */
  public RRefOptions withMaxDurableBytes(long bytes) {
    return new RRefOptions(maxObjects, maxBytes, bytes, fullStacks);
  }

  /** Returns the same with or without full stacks. */
  public RRefOptions withFullStacks(boolean full) {
    return new RRefOptions(maxObjects, maxBytes, maxDurableBytes, full);
  }
}
