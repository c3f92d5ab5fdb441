package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;

/**
 * Ends a training when a figure of {@link TrainingProgram#evaluate} has not become better for some
 * evaluations.
 *
 * @param figure the name of the figure
 * @param patience the number of evaluations without a better value after which training ends
 * @param higherIsBetter true for an accuracy, false for a loss
 */
@RemoteValue
public record EarlyStopping(String figure, int patience, boolean higherIsBetter) {
  /** Checks the patience: BAD_ARGUMENT. */
  public EarlyStopping {
    if (patience < 1) {
      throw new GridException(
          Status.BAD_ARGUMENT, "patience=" + patience + ", but it must be at least 1");
    }
  }
}
