package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceImpl;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.spi.impl.NodeEngineImpl;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;

/** Access to the part of Hazelcast that sends operations, which is not public API. */
public final class NodeEngines {
  private NodeEngines() {}

  /**
   * Returns the node engine of a member.
   *
   * @throws GridException BAD_CONFIG if the instance is not one as Hazelcast itself makes it
   */
  public static NodeEngineImpl of(HazelcastInstance hazelcast) {
    if (hazelcast instanceof HazelcastInstanceProxy proxy) {
      return proxy.getOriginal().node.getNodeEngine();
    }
    if (hazelcast instanceof HazelcastInstanceImpl member) {
      return member.node.getNodeEngine();
    }
    throw new GridException(
        Status.BAD_CONFIG,
        ("a worker needs a member as Hazelcast itself makes it, got a %s: pass the instance that"
                + " Hazelcast.newHazelcastInstance(...) returned")
            .formatted(hazelcast.getClass().getName()));
  }
}
