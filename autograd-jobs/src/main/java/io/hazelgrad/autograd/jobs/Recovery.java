package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/**
 * A training's way on after trainers were lost or joined.
 *
 * @param step the step at which it went on
 * @param repeated the number of steps that had been made and were made again
 * @param repeatedSeconds the time that they had taken, from the snapshot to the last step before;
 *     at most that of 16,384 steps, and without the first step after a start of the job
 * @param seconds the time from the last step before to the end of the first one after
 * @param lost the names of the trainers that are no more there
 * @param joined the names of the trainers that are new
 */
@RemoteValue
public record Recovery(
    long step,
    long repeated,
    double repeatedSeconds,
    double seconds,
    List<String> lost,
    List<String> joined) {
  /** Copies the lists. */
  public Recovery {
    lost = List.copyOf(lost);
    joined = List.copyOf(joined);
  }
}
