package io.hazelgrad.autograd.internal.jobs;

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
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A training job as one worker or client sees it. Threads: safe. */
record GridTrainingJob(TrainingService service, String name) implements TrainingJob {
  private static final Duration CHECKPOINT = Duration.ofMinutes(1);

  private @Nullable Job job() {
    return service.grid().hazelcast().getJet().getJob(name);
  }

  @Override
  public TrainingStatus status() {
    Job job = job();
    JobStatus jet = job == null ? JobStatus.FAILED : job.getStatus();
    TrainingStatus written = service.maps().status(name);
    if (written == null) {
      throw new GridException(Status.BAD_ARGUMENT, "there is no training job " + name);
    }
    return switch (written.phase()) {
      case COMPLETED, FAILED -> written;
      default ->
          switch (jet) {
            case NOT_RUNNING, STARTING -> written.in(Phase.STARTING, "");
            case SUSPENDED, SUSPENDED_EXPORTING_SNAPSHOT -> written.in(Phase.SUSPENDED, "");
            case FAILED ->
                job != null && !job.isUserCancelled()
                    ? written.in(Phase.FAILED, failure(job))
                    : written.in(Phase.CANCELLED, "");
            default -> written;
          };
    };
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
    Job job = job();
    if (job != null) {
      await(job, timeout);
    }
    TrainingState last = service.maps().last(name);
    if (last != null) {
      return last.result();
    }
    TrainingStatus end = status();
    throw end.phase() == Phase.FAILED
        ? new GridException(
            Status.USER_ERROR, "training job %s failed: %s".formatted(name, end.message()))
        : new GridException(Status.CANCELLED, "training job " + name + " was cancelled");
  }

  private void await(Job job, Duration timeout) {
    try {
      var unused = job.getFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | CancellationException e) {
      // The status says more.
    } catch (TimeoutException e) {
      throw new GridException(
          Status.TIMEOUT, "training job %s did not end within %s".formatted(name, timeout), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GridException(Status.CANCELLED, "the wait for job " + name + " was interrupted", e);
    }
  }

  @Override
  public Checkpoint checkpoint() {
    TrainingState last = service.maps().last(name);
    return StartState.checkpoint(last == null ? ask() : last);
  }

  private TrainingState ask() {
    List<String> trainers = status().trainers();
    if (trainers.isEmpty()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "training job " + name + " has made no step yet");
    }
    GridContext grid = service.grid();
    Worker first = grid.worker(trainers.get(0), CHECKPOINT);
    return grid.await(
        grid.call(first, TrainingFunctions.STATE, List.of(name), CHECKPOINT, any -> {}));
  }

  @Override
  public void suspend() {
    running().suspend();
  }

  @Override
  public void resume() {
    running().resume();
  }

  private Job running() {
    Job job = job();
    if (job == null || job.getStatus().isTerminal()) {
      throw new GridException(Status.BAD_ARGUMENT, "training job " + name + " has ended");
    }
    return job;
  }

  @Override
  public void cancel() {
    Job job = job();
    if (job != null && !job.getStatus().isTerminal()) {
      job.cancel();
      await(job, CHECKPOINT);
    }
  }

  @Override
  public void forget() {
    cancel();
    service.maps().remove(name);
  }
}
