package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceImpl;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.spi.impl.NodeEngineImpl;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.call.Transport;

/** The way to the internal parts of Hazelcast that a worker needs. */
public final class HazelcastInternals {
  private HazelcastInternals() {}

  /**
   * Returns the node engine of a member.
   *
   * @throws GridException BAD_CONFIG if the instance is not one as Hazelcast itself makes it
   */
  public static NodeEngineImpl nodeEngine(HazelcastInstance hazelcast) {
    if (hazelcast instanceof HazelcastInstanceProxy proxy) {
      return proxy.getOriginal().node.getNodeEngine();
    }
    if (hazelcast instanceof HazelcastInstanceImpl member) {
      return member.node.getNodeEngine();
    }
    throw Transport.wrapped(
        "a worker needs a member", hazelcast, "Hazelcast.newHazelcastInstance(...)");
  }
}
