package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.config.CompactSerializationConfig;
import com.hazelcast.config.CompactSerializationConfigAccessor;
import com.hazelcast.config.Config;
import com.hazelcast.internal.util.TriTuple;
import com.hazelcast.nio.serialization.compact.CompactSerializer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the Compact serializers of a configuration. Hazelcast has no public way to ask for them.
 */
public final class CompactSerializers {
  private static final Logger LOG = LoggerFactory.getLogger(CompactSerializers.class);

  private CompactSerializers() {}

  /**
   * Returns the serializers that were added as objects, and those of the classes that are named.
   */
  public static List<CompactSerializer<?>> of(Config config, ClassLoader loader) {
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
