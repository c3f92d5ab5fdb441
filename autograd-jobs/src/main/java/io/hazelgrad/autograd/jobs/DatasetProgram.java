package io.hazelgrad.autograd.jobs;

import io.hazelgrad.autograd.nn.Module;

/**
 * A training program with a data set that every trainer can read. The rows do not travel.
 *
 * @param <M> the model
 * @param <R> a row of the data
 */
public non-sealed interface DatasetProgram<M extends Module<?, ?>, R>
    extends TrainingProgram<M, R> {
  /**
   * Opens the data set, once on each trainer's member for each start of the job; it must have the
   * same rows on all of them.
   */
  Dataset<R> data();
}
