package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;

/** The functions by which the members of a training job ask each other. */
@RemoteFunctions
final class TrainingFunctions {
  static final Function<Boolean> HOLD =
      Function.named(TrainingFunctions.class, "hold", String.class, long.class);

  static final Function<Boolean> READY =
      Function.named(TrainingFunctions.class, "ready", long.class, byte[].class);

  private TrainingFunctions() {}

  /** Lets a job make no steps for a time; returns whether a snapshot has all steps. */
  static boolean hold(String job, long millis) throws InterruptedException {
    return service().hold(job, millis);
  }

  /** Returns whether a trainer could begin here at once, and has what it lacks prepared. */
  static boolean ready(long jobId, byte[] task) {
    return service().isReady(jobId, task);
  }

  private static TrainingService service() {
    return (TrainingService) TrainingJobs.on(Grid.current());
  }
}
