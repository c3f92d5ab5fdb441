package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a backward pass is run.
 *
 * <p>Most passes are run as {@link AutogradOptions} say, by calls. A pass with a name is a job of
 * Jet, {@code hazelgrad.NAME}: Management Center and Jet's own API show it while it runs and
 * afterwards, with metrics for each wave and worker. It takes longer, and Jet keeps the record of
 * an ended job for days (the last thousand), so it is for looking, not for every step.
 *
 * @param retainGraph whether the graph stays usable for another pass
 * @param name the name of a job, or null for none
 * @param deadline how long the pass may take, zero for any time; null for the grid's call timeout
 */
public record PassOptions(boolean retainGraph, @Nullable String name, @Nullable Duration deadline) {
  /** What every job of a pass has before its name. */
  public static final String JOB_PREFIX = "hazelgrad.";

  private static final PassOptions DEFAULTS = new PassOptions(false, null, null);

  /**
   * Checks the values.
   *
   * @throws GridException BAD_ARGUMENT if the name is blank or the deadline negative
   */
  public PassOptions {
    if (name != null && name.isBlank()) {
      throw new GridException(Status.BAD_ARGUMENT, "the name of a pass is blank");
    }
    if (deadline != null && deadline.isNegative()) {
      throw new GridException(Status.BAD_ARGUMENT, "deadline=" + deadline + " is negative");
    }
  }

  /** Returns the defaults: no name, the graph is freed, within the grid's call timeout. */
  public static PassOptions defaults() {
    return DEFAULTS;
  }

  /** Returns these options with another choice of keeping the graph. */
  public PassOptions withRetainGraph(boolean retain) {
    return new PassOptions(retain, name, deadline);
  }

  /**
   * Returns these options for a job {@code hazelgrad.NAME}. While it runs no other job can have its
   * name; afterwards the next one can.
   */
  public PassOptions withName(String jobName) {
    return new PassOptions(retainGraph, jobName, deadline);
  }

  /** Returns these options with a deadline; zero for none. */
  public PassOptions withDeadline(Duration timeout) {
    return new PassOptions(retainGraph, name, timeout);
  }

  /** Returns the name of the job, or null. */
  public @Nullable String job() {
    return name == null ? null : JOB_PREFIX + name;
  }
}
