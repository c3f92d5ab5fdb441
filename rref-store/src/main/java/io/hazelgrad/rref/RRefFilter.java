package io.hazelgrad.rref;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A filter for {@link RRefs#find}: a handle passes if it meets all conditions that are not null.
 *
 * @param owner the name of the worker on which the object lives
 * @param holder the name of the worker or client that holds the handle
 * @param type the name of the object's class
 * @param olderThan the least age of the handle
 * @param limit the most handles that are reported
 */
public record RRefFilter(
    @Nullable String owner,
    @Nullable String holder,
    @Nullable String type,
    Duration olderThan,
    int limit) {
  private static final int DEFAULT_LIMIT = 1000;
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  /**
   * Checks the filter.
   *
   * @throws GridException BAD_ARGUMENT if the limit is below 1, or the age negative or longer than
   *     292 years
   */
  public RRefFilter {
    if (olderThan.isNegative() || olderThan.compareTo(LONGEST) > 0) {
      throw new GridException(
          Status.BAD_ARGUMENT, "the age must be between zero and 292 years: " + olderThan);
    }
    if (limit < 1) {
      throw new GridException(Status.BAD_ARGUMENT, "the limit must be at least 1: " + limit);
    }
  }

  /** Returns the filter that all handles pass, limited to 1,000. */
  public static RRefFilter all() {
    return new RRefFilter(null, null, null, Duration.ZERO, DEFAULT_LIMIT);
  }

  /** Returns this filter for objects of one worker. */
  public RRefFilter ownedBy(String worker) {
    return new RRefFilter(worker, holder, type, olderThan, limit);
  }

  /** Returns this filter for handles of one worker, or of the clients of one name. */
  public RRefFilter heldBy(String worker) {
    return new RRefFilter(owner, worker, type, olderThan, limit);
  }

  /** Returns this filter for objects of one class, without its subclasses. */
  public RRefFilter ofType(Class<?> wanted) {
    return new RRefFilter(owner, holder, wanted.getName(), olderThan, limit);
  }

  /** Returns this filter for handles of a least age. */
  public RRefFilter olderThan(Duration age) {
    return new RRefFilter(owner, holder, type, age, limit);
  }

  /** Returns this filter with another limit. */
  public RRefFilter limit(int most) {
    return new RRefFilter(owner, holder, type, olderThan, most);
  }
}
