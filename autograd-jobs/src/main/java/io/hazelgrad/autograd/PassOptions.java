package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a backward pass.
 *
 * <p>A pass without a name runs as {@link AutogradOptions} say, by calls by default. A pass with a
 * name is the Jet job {@code hazelgrad.NAME}. Management Center and Jet's API show it during and
 * after the run, with metrics for each wave and worker. It takes longer, and Jet keeps the records
 * of the last 1,000 ended jobs for days. So use names for analysis, not for every training step.
 *
 * @param retainGraph whether the graph stays usable for another pass
 * @param name the name of the job, or null for none
 * @param deadline the longest duration, zero for no limit; null for the grid's call timeout
 */
public record PassOptions(boolean retainGraph, @Nullable String name, @Nullable Duration deadline) {
  /** The prefix of the job names of passes. */
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

  /** Returns these options for the job {@code hazelgrad.NAME}, the only one of this name. */
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
