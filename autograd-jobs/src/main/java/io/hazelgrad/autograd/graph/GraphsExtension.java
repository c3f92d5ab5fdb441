package io.hazelgrad.autograd.graph;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.OwnMap;

/** Adds deployed graphs to every worker. */
public final class GraphsExtension implements GridExtension {
  static final int FACTORY_ID = 7010;
  static final int GRAPH = 1;
  static final int UPDATE = 2;
  static final int QUERY = 3;

  /** Creates the empty objects into which Hazelcast reads the serialized types of this package. */
  private static IdentifiedDataSerializable create(int typeId) {
    return switch (typeId) {
      case GRAPH -> new StoredGraph();
      case UPDATE -> new GraphUpdate();
      case QUERY -> new GraphQuery();
      default -> throw new IllegalArgumentException("unknown type " + typeId);
    };
  }

  @Override
  public int order() {
    return 5;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {
    config.getSerializationConfig().addDataSerializableFactory(FACTORY_ID, GraphsExtension::create);
    OwnMap.in(config, Graphs.MAP).setInMemoryFormat(InMemoryFormat.BINARY).setBackupCount(1);
  }

  @Override
  public Object start(GridContext context) {
    return new Graphs(context);
  }
}
