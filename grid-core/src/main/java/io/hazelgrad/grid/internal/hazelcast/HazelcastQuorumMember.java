package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.cluster.Address;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.internal.cluster.Joiner;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import com.hazelcast.internal.nio.ConnectionListener;
import com.hazelcast.internal.server.ServerConnection;
import com.hazelcast.spi.impl.NodeEngineImpl;
import io.hazelgrad.grid.internal.quorum.Quorum.Report;
import io.hazelgrad.grid.internal.quorum.QuorumMember;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link QuorumMember} by the node engine of a member. */
public final class HazelcastQuorumMember implements QuorumMember {
  private final NodeEngineImpl engine;

  public HazelcastQuorumMember(HazelcastInstance hazelcast) {
    this.engine = NodeEngines.of(hazelcast);
  }

  @Override
  public HazelcastInstance hazelcast() {
    return engine.getHazelcastInstance();
  }

  @Override
  public boolean isJoined() {
    return engine.getClusterService().isJoined();
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
        .createInvocationBuilder(
            null, new QuorumOperation(engine.getConfig().getClusterName(), report, leaving), other)
        .setTryCount(1)
        .<QuorumOperation.@Nullable Answer>invoke()
        .thenApplyAsync(answer -> report(other, answer), Runnable::run);
  }

  private static Report report(Address from, QuorumOperation.@Nullable Answer answer) {
    if (answer == null) {
      throw new IllegalStateException(from + " is of another grid, or has no quorum");
    }
    return answer.report();
  }

  @Override
  public void onConnection(Consumer<Address> listener) {
    engine
        .getNode()
        .getServer()
        .addConnectionListener(
            new ConnectionListener<ServerConnection>() {
              @Override
              public void connectionAdded(ServerConnection connection) {
                Address from = connection.getRemoteAddress();
                if (from != null && !connection.isClient()) {
                  listener.accept(from);
                }
              }

              @Override
              public void connectionRemoved(ServerConnection connection) {}
            });
  }

  @Override
  public void excludeFromHealing(Address lost) {
    Joiner joiner = engine.getNode().getJoiner();
    if (joiner != null) { // There is none if no way to find other members is configured.
      joiner.blacklist(lost, true); // Hazelcast's healing skips permanent entries only.
    }
  }

  @Override
  public void merge(Address into) {
    ((ClusterServiceImpl) engine.getClusterService()).merge(into);
  }
}
