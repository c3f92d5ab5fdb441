package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.concurrent.CompletableFuture;

/** The function by which a trainer is asked for its state. */
@RemoteFunctions
final class TrainingFunctions {
  static final Function<TrainingState> STATE =
      Function.named(TrainingFunctions.class, "state", String.class);

  private TrainingFunctions() {}

  /** Returns the state after the step under way. */
  static CompletableFuture<TrainingState> state(String job) {
    return ((TrainingService) TrainingJobs.on(Grid.current())).ask(job);
  }
}
