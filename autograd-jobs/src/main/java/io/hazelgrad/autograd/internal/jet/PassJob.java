package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.JobAlreadyExistsException;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Submits one job, waits for its end, and cancels it after the timeout. */
record PassJob(
    HazelcastInstance hazelcast,
    Executor threads,
    Set<UUID> members,
    String name,
    Duration timeout) {
  /** The time that a cancelled job is waited for; later the members end it by themselves. */
  private static final Duration CANCEL_WAIT = Duration.ofSeconds(5);

  /**
   * Submits the job and waits until it ends. Other threads submit and cancel it, for two reasons:
   * Jet may return from these calls late, for example only when the job has ended; and Hazelcast's
   * executors accept a task of an interrupted thread without starting a worker for it, so the job
   * would wait until the next task comes.
   */
  AttemptOutcome run(Supplier<Job> submission) {
    CompletableFuture<Job> submitted;
    try {
      submitted = CompletableFuture.supplyAsync(submission, threads);
    } catch (RejectedExecutionException e) {
      return failed(Status.CLOSED, "this worker or client closes", e);
    }
    CompletableFuture<Void> end = submitted.thenCompose(Job::getFuture);
    try {
      end.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      return new AttemptOutcome.Done();
    } catch (ExecutionException | CancellationException e) {
      return outcomeOf(e);
    } catch (TimeoutException e) {
      return cancel(
          submitted,
          end,
          AttemptOutcome.failed(Status.TIMEOUT, name + " did not end within " + timeout, e));
    } catch (InterruptedException e) {
      AttemptOutcome outcome =
          cancel(
              submitted,
              end,
              AttemptOutcome.failed(Status.CANCELLED, name + " was interrupted", e));
      Thread.currentThread().interrupt();
      return outcome;
    }
  }

  /** Cancels the job, and waits until it has ended; it may have succeeded meanwhile. */
  private AttemptOutcome cancel(
      CompletableFuture<Job> submitted, CompletableFuture<Void> end, AttemptOutcome.Failed reason) {
    long deadline = System.nanoTime() + CANCEL_WAIT.toNanos();
    boolean interrupted = false;
    try {
      var unused = submitted.thenAcceptAsync(Job::cancel, threads);
      while (true) {
        try {
          end.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
          return new AttemptOutcome.Done();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      reason.error().addSuppressed(e);
      return reason;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private AttemptOutcome outcomeOf(Throwable failure) {
    GridException error = JobFailures.gridException(failure);
    error = error == null ? JobFailures.fromText(failure) : error;
    if (error != null) {
      return new AttemptOutcome.Failed(error);
    }
    if (JobFailures.find(failure, each -> each instanceof JobAlreadyExistsException) != null) {
      return new AttemptOutcome.Failed(
          new GridException(Status.NAME_TAKEN, name + ": another job of this name runs", failure));
    }
    if (!hazelcast.getLifecycleService().isRunning()) {
      return failed(Status.CLOSED, "this member or client was shut down", failure);
    }
    if (JobFailures.isMemberLost(failure) || !allMembersPresent()) {
      return new AttemptOutcome.MemberLost(String.valueOf(failure.getMessage()));
    }
    if (JobFailures.find(failure, each -> each instanceof CancellationException) != null) {
      return failed(Status.CANCELLED, "the job was cancelled", failure);
    }
    return failed(Status.PASS_FAILED, String.valueOf(failure.getMessage()), failure);
  }

  private boolean allMembersPresent() {
    Set<UUID> present = new HashSet<>();
    hazelcast.getCluster().getMembers().forEach(each -> present.add(each.getUuid()));
    return present.containsAll(members);
  }

  AttemptOutcome failed(Status status, String why, @Nullable Throwable cause) {
    return AttemptOutcome.failed(status, name + " failed: " + why, cause);
  }
}
