package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import java.util.Locale;

/** The way in which several workers share a training. */
@RemoteValue
public enum Parallelism {
  /** One worker has the whole model and all rows. */
  NONE,
  /** Every worker has the whole model and a part of the rows of each batch. */
  DATA,
  /** Every worker has some consecutive layers of the model and all rows. */
  PIPELINE,
  /** Several pipelines, each with a part of the rows of each batch. */
  BOTH;

  /** Returns the way for a number of workers: none for one worker, else what is wanted. */
  public static Parallelism of(int workers, Parallelism wanted) {
    if (workers > 1 && wanted == NONE) {
      throw new GridException(
          Status.BAD_ARGUMENT, "parallel=none needs one worker, not " + workers);
    }
    return workers == 1 ? NONE : wanted;
  }

  /** Returns the word of the command line and of the output. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
