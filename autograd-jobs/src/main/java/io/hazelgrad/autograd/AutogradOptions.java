package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/**
 * How a worker or client differentiates, given with {@code HazelgradConfig.options}.
 *
 * @param scheduler what carries the gradients of the backward passes that begin here, if they have
 *     no name of their own
 */
public record AutogradOptions(Scheduler scheduler) {
  /** The system property for the scheduler where no options were given: calls, or jobs. */
  public static final String SCHEDULER_PROPERTY = "hazelgrad.autograd.scheduler";

  /** What carries the gradients of a pass from worker to worker. */
  public enum Scheduler {
    /** Calls between the workers: the quickest, and nothing runs between passes. The default. */
    CALLS,
    /** A light job of Jet for each pass. */
    JOBS
  }

  /**
   * Returns the defaults: calls, if the system property {@value #SCHEDULER_PROPERTY} does not say
   * {@code jobs}.
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
