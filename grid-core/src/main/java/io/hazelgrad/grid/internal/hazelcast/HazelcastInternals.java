package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.client.impl.ClientEngineImpl;
import com.hazelcast.client.impl.operations.GetConnectedClientsOperation;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceImpl;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.spi.impl.NodeEngineImpl;
import com.hazelcast.sql.impl.MissingSqlService;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.call.Transport;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Access to the internal parts of Hazelcast that a worker needs. */
public final class HazelcastInternals {
  private HazelcastInternals() {}

  /**
   * Returns the node engine of a member.
   *
   * @throws GridException BAD_CONFIG if the instance is not one as Hazelcast itself makes it
   */
  static NodeEngineImpl nodeEngine(HazelcastInstance hazelcast) {
    if (hazelcast instanceof HazelcastInstanceProxy proxy) {
      return proxy.getOriginal().node.getNodeEngine();
    }
    if (hazelcast instanceof HazelcastInstanceImpl member) {
      return member.node.getNodeEngine();
    }
    throw Transport.wrapped(
        "a worker needs a member", hazelcast, "Hazelcast.newHazelcastInstance(...)");
  }

  /** Returns whether a member has {@code hazelcast-sql} on its class path. */
  public static boolean hasSql(HazelcastInstance hazelcast) {
    return !(nodeEngine(hazelcast).getSqlService() instanceof MissingSqlService);
  }

  /** Asks another member for the UUIDs of the clients that are connected to it. */
  public static CompletableFuture<Set<UUID>> connectedClients(
      HazelcastInstance hazelcast, Member member) {
    return nodeEngine(hazelcast)
        .getOperationService()
        .<Map<UUID, String>>invokeOnTarget(
            ClientEngineImpl.SERVICE_NAME, new GetConnectedClientsOperation(), member.getAddress())
        .thenApplyAsync(Map::keySet, Runnable::run); // A stage of its own, which may time out.
  }
}
