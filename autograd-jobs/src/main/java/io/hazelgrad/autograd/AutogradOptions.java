package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * The autograd options of a worker or client, given with {@code HazelgradConfig.options}.
 *
 * @param scheduler the scheduler of the backward passes that begin here, unless they have a name
 */
public record AutogradOptions(Scheduler scheduler) {
  /** The system property for the scheduler if no options were given: auto, calls or jobs. */
  public static final String SCHEDULER_PROPERTY = "hazelgrad.autograd.scheduler";

  /** The way in which the gradients of a pass travel between workers. */
  public enum Scheduler {
    /**
     * A light Jet job for each pass of a shape for which jobs were at most a tenth slower than
     * calls when this worker last tried both, and calls for the others. The default.
     */
    AUTO,
    /** Calls between the workers: the fastest for short passes. */
    CALLS,
    /** A light Jet job for each pass. */
    JOBS
  }

  /**
   * Returns the defaults: AUTO, unless the property {@value #SCHEDULER_PROPERTY} names another.
   *
   * @throws GridException BAD_CONFIG if the property names no scheduler
   */
  public static AutogradOptions defaults() {
    String name = System.getProperty(SCHEDULER_PROPERTY, "auto");
    for (Scheduler each : Scheduler.values()) {
      if (each.name().equalsIgnoreCase(name)) {
        return new AutogradOptions(each);
      }
    }
    throw new GridException(
        Status.BAD_CONFIG,
        SCHEDULER_PROPERTY + "=" + name + " is no scheduler; there are auto, calls and jobs");
  }

  /** Returns these options with another scheduler. */
  public AutogradOptions withScheduler(Scheduler other) {
    return new AutogradOptions(other);
  }
}
