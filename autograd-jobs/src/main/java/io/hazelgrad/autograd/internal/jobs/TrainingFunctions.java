package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;

/** The function by which the first trainer is asked to prepare for a suspension. */
@RemoteFunctions
final class TrainingFunctions {
  static final Function<Boolean> HOLD =
      Function.named(TrainingFunctions.class, "hold", String.class, long.class);

  private TrainingFunctions() {}

  /** Lets a job make no steps for a time; returns whether a snapshot has all steps. */
  static boolean hold(String job, long millis) throws InterruptedException {
    return ((TrainingService) TrainingJobs.on(Grid.current())).hold(job, millis);
  }
}
