package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A training job as one worker or client sees it. Threads: safe. */
record GridTrainingJob(TrainingService service, String name) implements TrainingJob {
  private static final Logger LOG = LoggerFactory.getLogger(GridTrainingJob.class);
  private static final Duration WAIT = Duration.ofMinutes(1);

  /** The pause between two looks at a change that was asked for. */
  private static final long PAUSE_NANOS = 20_000_000L;

  /** The time between two requests for it; Jet logs those that it refuses. */
  private static final long RETRY_NANOS = 1_000_000_000L;

  /** The pause between two looks at whether the job has ended. */
  private static final long LOOK_NANOS = 100_000_000L;

  /** The longest time for a snapshot before the job is suspended. */
  private static final Duration HOLD = Duration.ofSeconds(20);

  private @Nullable Job job() {
    return service.grid().hazelcast().getJet().getJob(name);
  }

  @Override
  public TrainingStatus status() {
    Job job = job();
    JobStatus jet = statusOf(job);
    TrainingStatus written = service.statuses().status(name);
    if (written == null) {
      throw new GridException(Status.BAD_ARGUMENT, "there is no training job " + name);
    }
    return switch (written.phase()) {
      case COMPLETED, FAILED -> written;
      default ->
          switch (jet) {
            case NOT_RUNNING, STARTING -> written.in(Phase.STARTING, "");
            case SUSPENDED, SUSPENDED_EXPORTING_SNAPSHOT ->
                written.in(isToStay(job, written) ? Phase.SUSPENDED : Phase.STARTING, "");
            case FAILED ->
                job == null || job.isUserCancelled()
                    ? written.in(Phase.CANCELLED, "")
                    : written.in(Phase.FAILED, failure(job));
            case COMPLETED -> written.in(Phase.COMPLETED, ""); // What said so was lost.
            default -> isSuspended(written) ? written.in(Phase.STARTING, "") : written;
          };
    };
  }

  /** Returns what Jet says: a new coordinator does not know its jobs at once. */
  private static JobStatus statusOf(@Nullable Job job) {
    try {
      return job == null ? JobStatus.NOT_RUNNING : job.getStatus();
    } catch (HazelcastInstanceNotActiveException e) {
      throw e;
    } catch (IllegalStateException e) { // After a cut this member looks for its coordinator.
      return JobStatus.NOT_RUNNING;
    }
  }

  private static boolean isSuspended(TrainingStatus written) {
    return written.phase() == Phase.SUSPENDED;
  }

  /**
   * Returns whether somebody has suspended a job that is suspended. Jet also suspends one after a
   * loss, and that one goes on by itself. A new coordinator does not know who did it; the written
   * status does.
   */
  private static boolean isToStay(@Nullable Job job, TrainingStatus written) {
    try {
      return isSuspended(written) || (job != null && job.getSuspensionCause().requestedByUser());
    } catch (IllegalStateException e) { // It goes on just now.
      return false;
    }
  }

  private static String failure(Job job) {
    try {
      job.join();
      return "";
    } catch (RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  public TrainingResult await(Duration timeout) {
    awaitEnd(timeout);
    TrainingStatus end = status();
    if (end.phase() == Phase.COMPLETED) {
      return state().result();
    }
    throw end.phase() == Phase.FAILED
        ? new GridException(
            Status.USER_ERROR, "training job %s failed: %s".formatted(name, end.message()))
        : new GridException(Status.CANCELLED, "training job " + name + " was cancelled");
  }

  /**
   * Waits until the job has ended. It looks, and does not ask Jet to tell: each handle that asks
   * would leave an operation at the coordinator until the end of the job.
   */
  private void awaitEnd(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!isOver(status().phase()) || isRunning(job())) {
      long patience = Math.min(deadline - System.nanoTime(), LOOK_NANOS);
      if (patience <= 0) {
        TrainingStatus now = status();
        throw new GridException(
            Status.TIMEOUT,
            "training job %s did not end within %s; it is %s at step %s"
                .formatted(name, timeout, now.phase(), now.step()));
      }
      pause(patience);
    }
  }

  private static boolean isRunning(@Nullable Job job) {
    return job != null && !statusOf(job).isTerminal();
  }

  private static boolean isOver(Phase phase) {
    return phase == Phase.COMPLETED || phase == Phase.CANCELLED || phase == Phase.FAILED;
  }

  @Override
  public Checkpoint checkpoint() {
    return StartState.checkpoint(state());
  }

  private TrainingState state() {
    TrainingState state = service.snapshots().state(name);
    if (state == null) {
      throw new GridException(Status.BAD_ARGUMENT, "training job " + name + " has no snapshot yet");
    }
    return state;
  }

  @Override
  public void suspend() {
    Job job = running();
    List<String> trainers = status().trainers();
    if (!trainers.isEmpty()) {
      GridContext grid = service.grid();
      Worker first = grid.worker(trainers.get(0), HOLD);
      boolean unused =
          grid.await(
              grid.call(
                  first, TrainingFunctions.HOLD, List.of(name, HOLD.toMillis()), WAIT, any -> {}));
    }
    bring(
        job,
        () -> {
          Phase phase = status().phase();
          return phase == Phase.SUSPENDED || isOver(phase);
        },
        Job::suspend);
    service.statuses().suspended(name);
  }

  @Override
  public void resume() {
    Job job = running();
    service.statuses().resumed(name);
    job.resume();
  }

  private Job running() {
    Job job = job();
    if (job == null || !isRunning(job)) {
      throw new GridException(Status.BAD_ARGUMENT, "training job " + name + " has ended");
    }
    return job;
  }

  /**
   * Asks Jet for a change until it is made. Jet refuses while it suspends or restarts the job for
   * another reason, and forgets the request when its coordinator dies.
   */
  private void bring(Job job, BooleanSupplier isMade, Consumer<Job> request) {
    long begun = System.nanoTime();
    long asked = begun - RETRY_NANOS;
    while (!isMade.getAsBoolean()) {
      long now = System.nanoTime();
      if (now - begun > WAIT.toNanos()) {
        throw new GridException(
            Status.TIMEOUT, "training job %s is %s after %s".formatted(name, statusOf(job), WAIT));
      }
      if (now - asked >= RETRY_NANOS) {
        asked = now;
        try {
          request.accept(job);
        } catch (IllegalStateException e) {
          LOG.debug("Jet refused for now: training job {}", name, e);
        }
      }
      pause(PAUSE_NANOS);
    }
  }

  private void pause(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private GridException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new GridException(
        Status.CANCELLED, "the wait for training job " + name + " was interrupted", cause);
  }

  @Override
  public void cancel() {
    Job job = job();
    if (job != null && isRunning(job)) {
      bring(job, () -> !isRunning(job), Job::cancel);
      awaitEnd(WAIT);
    }
  }

  @Override
  public void forget() {
    cancel();
    service.forget(name);
  }
}
