package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.jet.JetService;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.JobConfigArguments;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.spi.exception.TargetNotMemberException;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs attempts at backward passes as jobs of Jet: light ones, or normal ones if they have names.
 *
 * <p>Threads: safe.
 */
public final class JetPassScheduler {
  private final HazelcastInstance hazelcast;
  private final Executor threads;

  /**
   * Makes what runs jobs.
   *
   * @param hazelcast a member, or a client
   * @param threads what talks to Jet; it may block, for as long as members are silent
   */
  public JetPassScheduler(HazelcastInstance hazelcast, Executor threads) {
    this.hazelcast = hazelcast;
    this.threads = threads;
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
   * @param jobName the name of a normal job; null for a light one
   * @param pass the attempt
   * @param plan who sends what when
   * @param hosts for each worker of the plan, the UUID of the member that acts for it; several
   *     workers may have the same one
   * @param specs makes a member's spec of what its workers do, by their ids
   * @param timeout how long the attempt may take
   */
  public AttemptOutcome run(
      @Nullable String jobName,
      PassId pass,
      Plan plan,
      Map<Long, UUID> hosts,
      Function<Map<Long, PlanPart>, PassSpec> specs,
      Duration timeout) {
    PassDag dag = new PassDag(plan, hosts);
    String name = "backward pass " + pass + (jobName == null ? "" : ", job " + jobName);
    PassJob job = new PassJob(hazelcast, threads, dag.members(), name, timeout);
    Map<UUID, Address> addresses = new HashMap<>();
    for (Member each : hazelcast.getCluster().getMembers()) {
      addresses.put(each.getUuid(), address(each));
    }
    for (UUID each : dag.members()) {
      if (!addresses.containsKey(each)) {
        return new AttemptOutcome.MemberLost(new TargetNotMemberException("no member " + each));
      }
    }
    DAG graph = dag.build(pass, uuid -> Objects.requireNonNull(addresses.get(uuid)), specs);
    if (Thread.currentThread().isInterrupted()) {
      return job.failed(Status.CANCELLED, "its thread was interrupted before it began", null);
    }
    return job.run(
        () -> {
          JetService jet = hazelcast.getJet();
          return jobName == null
              ? jet.newLightJob(graph, config())
              : jet.newJob(graph, namedConfig(jobName));
        });
  }

  /**
   * To a client, a member's address is that of its endpoint for clients, which Jet does not use.
   */
  private static Address address(Member member) {
    return member.getAddressMap().getOrDefault(EndpointQualifier.MEMBER, member.getAddress());
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
}
