package io.hazelgrad.grid.graph;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

/** Creates the empty objects into which Hazelcast reads the serialized types of this package. */
final class GraphSerializers implements DataSerializableFactory {
  static final int FACTORY_ID = 7010;

  static final int GRAPH = 1;
  static final int UPDATE = 2;
  static final int QUERY = 3;

  @Override
  public IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case GRAPH -> new StoredGraph();
      case UPDATE -> new GraphUpdate();
      case QUERY -> new GraphQuery();
      default -> throw new IllegalArgumentException("unknown type " + typeId);
    };
  }
}
