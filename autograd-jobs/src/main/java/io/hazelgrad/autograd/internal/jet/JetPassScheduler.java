package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.SerializationConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.jet.config.JobConfig;
import com.hazelcast.jet.config.JobConfigArguments;
import com.hazelcast.jet.core.DAG;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.PassScheduler;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs attempts at backward passes as jobs of Jet: light jobs, or normal jobs if they have names.
 * {@code threads} call Jet, and may block while members do not respond. Threads: safe.
 */
public record JetPassScheduler(HazelcastInstance hazelcast, Executor threads)
    implements PassScheduler {
  /** Hazelcast's property for the longest sleep of Jet's threads when there is nothing to do. */
  private static final String LONGEST_SLEEP = "hazelcast.jet.idle.cooperative.max.microseconds";

  /**
   * Configures a member before it starts: enables Jet, adds the serializer factory, and shortens
   * two periods of Jet, the second one unless the application has set it. Their defaults would cost
   * 100 ms for each pass with a gradient of more than 64 KiB, and 0.5 ms for each wave.
   */
  public static void prepare(Config config) {
    addSerializers(config.getSerializationConfig());
    // A sender may send 64 KiB on an edge, then waits for this period. Each of them costs processor
    // time of every member, also while there is no job.
    config.getJetConfig().setEnabled(true).setFlowControlPeriodMs(20);
    if (config.getProperty(LONGEST_SLEEP) == null) {
      config.setProperty(LONGEST_SLEEP, "50");
    }
  }

  public static void prepareClient(ClientConfig config) {
    addSerializers(config.getSerializationConfig());
  }

  private static void addSerializers(SerializationConfig config) {
    config.addDataSerializableFactory(
        AutogradSerializerFactory.FACTORY_ID, new AutogradSerializerFactory());
  }

  /**
   * {@inheritDoc}
   *
   * <p>When this returns, no part of the job runs any more, unless a member did not answer the
   * cancellation of a job that had failed or timed out.
   */
  @Override
  public AttemptOutcome run(
      @Nullable String jobName, PassSpec pass, Plan plan, Map<Long, UUID> hosts, Duration timeout) {
    PassDag dag = new PassDag(plan, hosts);
    String name = "backward pass " + pass.pass() + (jobName == null ? "" : ", job " + jobName);
    PassJob job = new PassJob(hazelcast, threads, dag.members(), name, timeout);
    Map<UUID, Address> addresses =
        hazelcast.getCluster().getMembers().stream()
            .collect(Collectors.toMap(Member::getUuid, JetPassScheduler::address));
    for (UUID each : dag.members()) {
      if (!addresses.containsKey(each)) {
        return new AttemptOutcome.MemberLost("no member " + each);
      }
    }
    DAG graph = dag.build(pass, uuid -> Objects.requireNonNull(addresses.get(uuid)));
    if (Thread.currentThread().isInterrupted()) {
      return job.failed(Status.CANCELLED, "its thread was interrupted before it began", null);
    }
    return job.run(
        () ->
            jobName == null
                ? hazelcast.getJet().newLightJob(graph, config())
                : hazelcast.getJet().newJob(graph, namedConfig(jobName)));
  }

  /** Returns the address that Jet uses; a client sees that of the member's client endpoint. */
  private static Address address(Member member) {
    return member.getAddressMap().getOrDefault(EndpointQualifier.MEMBER, member.getAddress());
  }

  /**
   * Limits a job to the members that its edges lead to. By default Jet runs a job on every member
   * that owns a partition: too many, because the job fails when any of them leaves, and too few,
   * because a new member owns none. With a set of required partitions, here none, Jet runs it
   * exactly on the members of the edges; Hazelcast's SQL does so for a query by key.
   */
  private static JobConfig config() {
    return new JobConfig()
        .setArgument(JobConfigArguments.KEY_REQUIRED_PARTITIONS, new HashSet<Integer>());
  }

  /** Switches auto-scaling off: another attempt is another job, so Jet must not restart one. */
  private static JobConfig namedConfig(String jobName) {
    return config().setName(jobName).setAutoScaling(false).setStoreMetricsAfterJobCompletion(true);
  }
}
