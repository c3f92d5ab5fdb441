package io.hazelgrad.autograd.jobs;

import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.grid.GridException;
import java.time.Duration;

/**
 * A training that runs in the grid, whoever has started it. Any worker or client can look at it and
 * steer it, see {@link TrainingJobs#find}. Threads: safe.
 */
public interface TrainingJob {
  /** Returns the name. */
  String name();

  /** Returns how far it is. */
  TrainingStatus status();

  /**
   * Waits until all steps are made. The result stays in the grid until {@link #forget()}.
   *
   * @throws GridException TIMEOUT if that takes longer, while the job goes on; CANCELLED;
   *     USER_ERROR with the text of the error that ended the job
   */
  TrainingResult await(Duration timeout);

  /**
   * Returns the state between two steps, for a file and for {@link TrainingJobs#start}: parameters,
   * optimizer, buffers and the number of steps.
   *
   * @throws GridException TIMEOUT if no step ends within a minute
   */
  Checkpoint checkpoint();

  /** Stops it after a last snapshot; {@link #resume()} goes on from there. */
  void suspend();

  /** Lets a suspended job go on. */
  void resume();

  /** Ends it for ever, without a result. Does nothing if it has ended. */
  void cancel();

  /** Removes result and status of a job that has ended; cancels it before if it runs. */
  void forget();
}
