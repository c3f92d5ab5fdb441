package io.hazelgrad.autograd.jobs;

import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts training jobs: trainings as named jobs of Jet. Every second a snapshot of model, optimizer
 * and position in the data is kept in memory on two members. When a trainer dies, the others go on
 * from the last snapshot by themselves; a worker that joins takes part after the next step. Each
 * row counts exactly once in the model.
 *
 * <pre>{@code
 * TrainingJob job =
 *     TrainingJobs.on(grid).start("digits", program, TrainingOptions.builder().epochs(5).build());
 * model.load(job.await(Duration.ofHours(1)).model());
 * job.forget();
 * }</pre>
 *
 * <p>Two members that die within the time that Hazelcast needs to make new backups can take a
 * snapshot with them; then the job fails. Write a {@link TrainingJob#checkpoint()} to a file now
 * and then.
 *
 * <p>Threads: safe.
 */
public interface TrainingJobs {
  /** Returns the training jobs of a worker's or client's grid. */
  static TrainingJobs on(GridAccess grid) {
    return grid.service(TrainingJobs.class);
  }

  /** Starts a training from the beginning. */
  default TrainingJob start(String name, TrainingProgram<?, ?> program, TrainingOptions options) {
    return start(name, program, options, null);
  }

  /**
   * Starts a training. A training of the same name that has ended is forgotten.
   *
   * @param name the name of the job in Jet
   * @param program the program, which every trainer can read; see {@link TrainingProgram}
   * @param from a {@link TrainingJob#checkpoint()} from which it goes on; null for the beginning. A
   *     stream begins as its source says
   * @throws GridException NAME_TAKEN if a job of the name runs; BAD_VALUE or NOT_ALLOWED if the
   *     program cannot travel
   */
  TrainingJob start(
      String name,
      TrainingProgram<?, ?> program,
      TrainingOptions options,
      @Nullable Checkpoint from);

  /** Returns a training job that runs or has a result, or null. */
  @Nullable TrainingJob find(String name);

  /** Returns the names of all training jobs that run or have a result, in order. */
  List<String> names();
}
