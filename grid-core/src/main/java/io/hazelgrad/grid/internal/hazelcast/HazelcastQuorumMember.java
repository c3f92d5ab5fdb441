package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.cluster.Address;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import com.hazelcast.spi.impl.NodeEngineImpl;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import io.hazelgrad.grid.internal.quorum.QuorumMember;
import java.util.concurrent.CompletableFuture;

/** The implementation of {@link QuorumMember} by the node engine of a member. */
public final class HazelcastQuorumMember implements QuorumMember {
  private final NodeEngineImpl engine;

  public HazelcastQuorumMember(HazelcastInstance hazelcast) {
    this.engine = HazelcastInternals.nodeEngine(hazelcast);
  }

  @Override
  public HazelcastInstance hazelcast() {
    return engine.getHazelcastInstance();
  }

  @Override
  public boolean isRunning() {
    return engine.isRunning();
  }

  @Override
  public boolean isJoined() {
    return engine.getClusterService().isJoined();
  }

  @Override
  public boolean isOpen(String protection) {
    return engine
        .getSplitBrainProtectionService()
        .getSplitBrainProtection(protection)
        .hasMinimumSize();
  }

  @Override
  public void nudge() {
    engine
        .getSplitBrainProtectionService()
        .onHeartbeat(engine.getLocalMember(), System.currentTimeMillis());
  }

  @Override
  public boolean isConnected(Address other) {
    return engine
            .getNode()
            .getServer()
            .getConnectionManager(EndpointQualifier.MEMBER)
            .getOrConnect(other, true)
        != null;
  }

  @Override
  public CompletableFuture<Report> send(Address other, Report report, boolean leaving) {
    return engine
        .getOperationService()
        .createInvocationBuilder(null, new QuorumOperation(report, leaving), other)
        .setTryCount(1)
        .<QuorumOperation.Answer>invoke()
        .thenApplyAsync(QuorumOperation.Answer::report, Runnable::run);
  }

  @Override
  public void merge(Address into) {
    ((ClusterServiceImpl) engine.getClusterService()).merge(into);
  }
}
