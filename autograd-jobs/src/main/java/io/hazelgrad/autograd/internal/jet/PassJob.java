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

/**
 * One job: submits it, waits for its end, cancels it when its time is up, and says what became of
 * the attempt.
 */
final class PassJob {
  /** How long a cancelled job is waited for. Past it the members end it by themselves. */
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(5);

  private final HazelcastInstance hazelcast;
  private final Executor threads;
  private final Set<UUID> members;
  private final String name;
  private final Duration timeout;

  PassJob(
      HazelcastInstance hazelcast,
      Executor threads,
      Set<UUID> members,
      String name,
      Duration timeout) {
    this.hazelcast = hazelcast;
    this.threads = threads;
    this.members = members;
    this.name = name;
    this.timeout = timeout;
  }

  /**
   * Submits the job and waits until it ends. Both it and its cancelling are asked for on other
   * threads, for two reasons. Jet comes back from them when it likes, for instance no sooner than
   * the job has ended. And Hazelcast's executors take a task of an interrupted thread without
   * starting a worker for it, so that the job would lie there, without an end, until the next one
   * comes.
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
          new GridException(
              Status.TIMEOUT, name + " did not end within " + timeout, true, null, e));
    } catch (InterruptedException e) {
      AttemptOutcome outcome =
          cancel(
              submitted,
              end,
              new GridException(Status.CANCELLED, name + " was interrupted", true, null, e));
      Thread.currentThread().interrupt();
      return outcome;
    }
  }

  /** Cancels the job, and waits until it has ended; it may just have ended well. */
  private AttemptOutcome cancel(
      CompletableFuture<Job> submitted, CompletableFuture<Void> end, GridException reason) {
    long deadline = System.nanoTime() + CANCEL_PATIENCE.toNanos();
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
      reason.addSuppressed(e);
      return new AttemptOutcome.Failed(reason);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private AttemptOutcome outcomeOf(Throwable failure) {
    GridException error = JobFailures.gridException(failure);
    if (error == null) {
      error = JobFailures.told(failure);
    }
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
    if (JobFailures.saysMemberLost(failure) || !allMembersThere()) {
      return new AttemptOutcome.MemberLost(failure);
    }
    if (JobFailures.find(failure, each -> each instanceof CancellationException) != null) {
      return failed(Status.CANCELLED, "the job was cancelled", failure);
    }
    return failed(Status.PASS_FAILED, String.valueOf(failure.getMessage()), failure);
  }

  private boolean allMembersThere() {
    Set<UUID> there = new HashSet<>();
    hazelcast.getCluster().getMembers().forEach(each -> there.add(each.getUuid()));
    return there.containsAll(members);
  }

  AttemptOutcome failed(Status status, String why, @Nullable Throwable cause) {
    return new AttemptOutcome.Failed(
        new GridException(status, name + " failed: " + why, true, null, cause));
  }
}
