package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.CompactSerializationConfig;
import com.hazelcast.config.CompactSerializationConfigAccessor;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceImpl;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.util.TriTuple;
import com.hazelcast.nio.serialization.compact.CompactSerializer;
import com.hazelcast.spi.impl.NodeEngineImpl;
import com.hazelcast.version.MemberVersion;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.call.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access to the internal parts of Hazelcast that a worker needs. */
public final class HazelcastInternals {
  private static final Logger LOG = LoggerFactory.getLogger(HazelcastInternals.class);

  private static final Set<Integer> TRIED_MINORS = Set.of(5, 6, 7);

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

  /**
   * Checks that the internal parts of Hazelcast that carry calls are those of a version that was
   * tried.
   *
   * @throws GridException BAD_CONFIG for another version
   */
  static void requireTriedVersion(HazelcastInstance hazelcast) {
    for (Member member : hazelcast.getCluster().getMembers()) {
      MemberVersion version = member.getVersion();
      if (version.getMajor() != 5 || !TRIED_MINORS.contains((int) version.getMinor())) {
        throw new GridException(
            Status.BAD_CONFIG,
            ("HazelgradConfig.engine OPERATIONS uses parts of Hazelcast that are not public API, as"
                    + " they are in 5.5, 5.6 and 5.7; member %s has version %s. Use the engine"
                    + " TASKS, which is the default")
                .formatted(member.getAddress(), version));
      }
    }
  }

  /** Returns the Compact serializers of a configuration, which has no public way to ask. */
  public static List<CompactSerializer<?>> compactSerializers(Config config, ClassLoader loader) {
    CompactSerializationConfig compact =
        config.getSerializationConfig().getCompactSerializationConfig();
    List<CompactSerializer<?>> found = new ArrayList<>();
    for (TriTuple<?, ?, ?> entry :
        CompactSerializationConfigAccessor.getRegistrations(compact).values()) {
      if (entry.element3 instanceof CompactSerializer<?> serializer) {
        found.add(serializer); // Others are registered by class, without a serializer.
      }
    }
    for (String name : CompactSerializationConfigAccessor.getSerializerClassNames(compact)) {
      try {
        Object made = Class.forName(name, true, loader).getDeclaredConstructor().newInstance();
        if (made instanceof CompactSerializer<?> serializer) {
          found.add(serializer);
        }
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        LOG.warn("no Compact serializer {} for the values of calls: {}", name, e.toString());
      }
    }
    return found;
  }
}
