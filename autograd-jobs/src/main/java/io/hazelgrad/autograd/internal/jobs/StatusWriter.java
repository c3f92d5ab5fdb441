package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.core.HazelcastException;
import io.hazelgrad.autograd.internal.jobs.lifecycle.StatusStore;
import io.hazelgrad.autograd.internal.jobs.steps.RowOrder;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.grid.GridException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes how far a job is, from one of its members. Not safe for several threads. */
final class StatusWriter {
  private static final long PERIOD_NANOS = 250_000_000L;

  private final StatusStore statuses;
  private final SnapshotStore snapshots;
  private final TrainingTask task;
  private long writtenNanos;

  StatusWriter(TrainingService service, TrainingTask task) {
    this.statuses = service.statuses();
    this.snapshots = service.snapshots();
    this.task = task;
  }

  /** Returns the status of a job that has not made a step. */
  static TrainingStatus begun(String name, Phase phase, String message) {
    return new TrainingStatus(
        name, phase, message, 0, 0, 0, Double.NaN, 0, List.of(), 0, 0, Map.of(), Map.of());
  }

  /** Says that there are too few trainers. */
  void waiting(List<String> trainers) {
    TrainingStatus last = statuses.status(task.name());
    String message =
        "waits for trainers: %d of at least %d are there, %s%s"
            .formatted(
                trainers.size(),
                task.options().minTrainers(),
                trainers,
                task.options().role().isEmpty() ? "" : ", with role " + task.options().role());
    TrainingStatus base = last == null ? begun(task.name(), Phase.WAITING, message) : last;
    statuses.put(base.in(Phase.WAITING, message));
  }

  /** Writes the status, unless that was done a moment ago. */
  void running(Trainer<?, ?> trainer, @Nullable RowOrder order) {
    long now = System.nanoTime();
    if (now - writtenNanos >= PERIOD_NANOS) {
      writtenNanos = now;
      var unused = statuses.putAsync(status(trainer, order, Phase.RUNNING));
    }
  }

  private TrainingStatus status(Trainer<?, ?> trainer, @Nullable RowOrder order, Phase phase) {
    TrainingState.Journal journal = trainer.journal().summary();
    long made = trainer.made();
    return new TrainingStatus(
        task.name(),
        phase,
        "",
        made,
        order == null ? task.options().steps() : order.steps(),
        order == null || made == 0 ? 0 : order.step(made - 1).epoch(),
        trainer.journal().lastLoss(),
        trainer.times().rowsPerSecond(),
        journal.trainers(),
        journal.restarts(),
        journal.repeated(),
        journal.figures(),
        trainer.times().milliseconds());
  }

  /** Writes the last state and the status of a training that is over; returns whether it could. */
  boolean completed(Trainer<?, ?> trainer, @Nullable RowOrder order) {
    StreamPosition position = order == null ? StreamPosition.end() : null;
    boolean isWritten = snapshots.write(task.name(), trainer.state(), position);
    if (isWritten) {
      statuses.put(status(trainer, order, Phase.COMPLETED));
    }
    return isWritten;
  }

  /** Writes why the job fails. */
  void failed(String message) {
    TrainingStatus last = statuses.status(task.name());
    TrainingStatus base = last == null ? begun(task.name(), Phase.FAILED, message) : last;
    statuses.put(base.in(Phase.FAILED, message));
  }

  /** Returns why the job fails, or null if no trainer has said so, as far as can be seen now. */
  @Nullable String failure() {
    try {
      TrainingStatus status = statuses.status(task.name());
      return status == null || status.phase() != Phase.FAILED ? null : status.message();
    } catch (GridException | HazelcastException e) {
      return null; // Whoever keeps the status is lost too; a failure shows itself again.
    }
  }
}
