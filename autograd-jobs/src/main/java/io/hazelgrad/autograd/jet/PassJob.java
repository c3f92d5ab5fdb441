package io.hazelgrad.autograd.jet;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.jet.JetService;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.JobAlreadyExistsException;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.JobConfigArguments;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.autograd.plan.Part;
import io.hazelgrad.autograd.plan.Plan;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one attempt at a backward pass as a job of Jet: a light one, or a normal one if it has a
 * name.
 */
public final class PassJob {
  /** How long a cancelled job is waited for. Past it the members end it by themselves. */
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(5);

  private final HazelcastInstance hazelcast;
  private final Set<UUID> members;
  private final String name;
  private final Duration timeout;

  private PassJob(HazelcastInstance hazelcast, Set<UUID> members, String name, Duration timeout) {
    this.hazelcast = hazelcast;
    this.members = members;
    this.name = name;
    this.timeout = timeout;
  }

  /**
   * Sets in a member's configuration what passes need of it, before it starts: Jet, the serializer
   * factory, and two of Jet's periods, whose defaults would cost 100 ms for each pass with a
   * gradient of more than 64 KiB, and 0.5 ms for each wave.
   */
  public static void prepare(Config config) {
    config
        .getSerializationConfig()
        .addDataSerializableFactory(
            AutogradSerializerFactory.FACTORY_ID, new AutogradSerializerFactory());
    // A sender may send 64 KiB on an edge, then waits for the first of these.
    config.getJetConfig().setEnabled(true).setFlowControlPeriodMs(5);
    // How long Jet's threads sleep when there was nothing to do.
    config.setProperty("hazelcast.jet.idle.cooperative.max.microseconds", "50");
  }

  /** Sets in a client's configuration what it needs to run passes, before it starts. */
  public static void prepareClient(ClientConfig config) {
    config
        .getSerializationConfig()
        .addDataSerializableFactory(
            AutogradSerializerFactory.FACTORY_ID, new AutogradSerializerFactory());
  }

  /**
   * Runs an attempt and waits until it ends. When this returns, no part of the job runs any more,
   * unless a member did not answer the cancellation of a job that had failed or timed out.
   *
   * <p>An interrupt cancels the job; the outcome is then Failed with CANCELLED, and the thread's
   * interrupt flag is set.
   *
   * @param hazelcast a member, or a client
   * @param jobName the name of a normal job; null for a light one
   * @param pass the attempt
   * @param plan who sends what when
   * @param hosts for each worker of the plan, the UUID of the member that acts for it; several
   *     workers may have the same one
   * @param specs makes a member's spec of what its workers do, by their ids
   * @param timeout how long the attempt may take
   */
  public static Outcome run(
      HazelcastInstance hazelcast,
      @Nullable String jobName,
      PassId pass,
      Plan plan,
      Map<Long, UUID> hosts,
      Function<Map<Long, Part>, PassSpec> specs,
      Duration timeout) {
    PassDag dag = new PassDag(plan, hosts);
    String name = "backward pass " + pass + (jobName == null ? "" : ", job " + jobName);
    PassJob job = new PassJob(hazelcast, dag.members(), name, timeout);
    Map<UUID, Address> addresses = new HashMap<>();
    for (Member each : hazelcast.getCluster().getMembers()) {
      addresses.put(each.getUuid(), address(each));
    }
    for (UUID each : dag.members()) {
      if (!addresses.containsKey(each)) {
        return new Outcome.MemberLost(new TargetNotMemberException("no member " + each));
      }
    }
    DAG graph = dag.build(pass, uuid -> Objects.requireNonNull(addresses.get(uuid)), specs);
    if (Thread.currentThread().isInterrupted()) {
      return job.failed(Status.CANCELLED, "its thread was interrupted before it began", null);
    }
    try {
      return job.await(submit(hazelcast, jobName, graph));
    } catch (RuntimeException e) {
      return job.outcomeOf(e);
    }
  }

  /**
   * To a client, a member's address is that of its endpoint for clients, which Jet does not use.
   */
  private static Address address(Member member) {
    return member.getAddressMap().getOrDefault(EndpointQualifier.MEMBER, member.getAddress());
  }

  /**
   * Submits the job, on a thread that nobody interrupts: Hazelcast's executors take a task of an
   * interrupted thread without starting a worker for it, so that the job would lie there, without
   * an end, until the next one comes.
   */
  private static Job submit(HazelcastInstance hazelcast, @Nullable String jobName, DAG graph) {
    JetService jet = hazelcast.getJet();
    return CompletableFuture.supplyAsync(
            () ->
                jobName == null
                    ? jet.newLightJob(graph, config())
                    : jet.newJob(graph, namedConfig(jobName)))
        .join();
  }

  /**
   * Jet runs a job on every member that owns a partition: on too many, since the job fails when any
   * of them leaves, and on too few, since a fresh member owns none. Told which partitions are
   * required (as Hazelcast's SQL does for a query by key), here none, it runs the job exactly on
   * the members that the edges lead to.
   */
  private static JobConfig config() {
    return new JobConfig()
        .setArgument(JobConfigArguments.KEY_REQUIRED_PARTITIONS, new HashSet<Integer>());
  }

  /** A pass is tried again under another number, so Jet must not start it anew. */
  private static JobConfig namedConfig(String jobName) {
    return config().setName(jobName).setAutoScaling(false).setStoreMetricsAfterJobCompletion(true);
  }

  private Outcome await(Job job) {
    Future<Void> end = job.getFuture();
    try {
      end.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      return new Outcome.Done();
    } catch (ExecutionException | CancellationException e) {
      return outcomeOf(e);
    } catch (TimeoutException e) {
      return cancel(
          job,
          new GridException(
              Status.TIMEOUT, name + " did not end within " + timeout, true, null, e));
    } catch (InterruptedException e) {
      Outcome outcome =
          cancel(
              job, new GridException(Status.CANCELLED, name + " was interrupted", true, null, e));
      Thread.currentThread().interrupt();
      return outcome;
    }
  }

  /** Cancels the job, and waits until it has ended; it may just have ended well. */
  private static Outcome cancel(Job job, GridException reason) {
    long deadline = System.nanoTime() + CANCEL_PATIENCE.toNanos();
    boolean interrupted = false;
    try {
      // Elsewhere for the same reason, and because it comes back no sooner than the job has ended.
      var unused = CompletableFuture.runAsync(job::cancel);
      while (true) {
        try {
          job.getFuture().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
          return new Outcome.Done();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      reason.addSuppressed(e);
      return new Outcome.Failed(reason);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Outcome outcomeOf(Throwable failure) {
    GridException error = Failures.gridException(failure);
    if (error == null) {
      error = Failures.told(failure);
    }
    if (error != null) {
      return new Outcome.Failed(error);
    }
    if (Failures.find(failure, each -> each instanceof JobAlreadyExistsException) != null) {
      return new Outcome.Failed(
          new GridException(Status.NAME_TAKEN, name + ": another job of this name runs", failure));
    }
    if (!hazelcast.getLifecycleService().isRunning()) {
      return failed(Status.CLOSED, "this member or client was shut down", failure);
    }
    if (Failures.saysMemberLost(failure) || !allMembersThere()) {
      return new Outcome.MemberLost(failure);
    }
    if (Failures.find(failure, each -> each instanceof CancellationException) != null) {
      return failed(Status.CANCELLED, "the job was cancelled", failure);
    }
    return failed(Status.PASS_FAILED, String.valueOf(failure.getMessage()), failure);
  }

  private boolean allMembersThere() {
    Set<UUID> there = new HashSet<>();
    hazelcast.getCluster().getMembers().forEach(each -> there.add(each.getUuid()));
    return there.containsAll(members);
  }

  private Outcome failed(Status status, String why, @Nullable Throwable cause) {
    return new Outcome.Failed(
        new GridException(status, name + " failed: " + why, true, null, cause));
  }
}
