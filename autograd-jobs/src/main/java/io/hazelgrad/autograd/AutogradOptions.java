package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * The autograd options of a worker or client, given with {@code HazelgradConfig.options}.
 *
 * @param scheduler the scheduler of the backward passes that begin here, unless they have a name
 */
public record AutogradOptions(Scheduler scheduler) {
  /** The system property for the scheduler if no options were given: calls or jobs. */
  public static final String SCHEDULER_PROPERTY = "hazelgrad.autograd.scheduler";

  /** The way in which the gradients of a pass travel between workers. */
  public enum Scheduler {
    /** Calls between the workers: the fastest, and nothing runs between passes. The default. */
    CALLS,
    /** A light Jet job for each pass. */
    JOBS
  }

  /**
   * Returns the defaults: calls, unless the property {@value #SCHEDULER_PROPERTY} is {@code jobs}.
   *
   * @throws GridException BAD_CONFIG if the property names no scheduler
   */
  public static AutogradOptions defaults() {
    String name = System.getProperty(SCHEDULER_PROPERTY, "calls");
    for (Scheduler each : Scheduler.values()) {
      if (each.name().equalsIgnoreCase(name)) {
        return new AutogradOptions(each);
      }
    }
    throw new GridException(
        Status.BAD_CONFIG,
        SCHEDULER_PROPERTY + "=" + name + " is no scheduler; there are calls and jobs");
  }

  /** Returns these options with another scheduler. */
  public AutogradOptions withScheduler(Scheduler other) {
    return new AutogradOptions(other);
  }
}
