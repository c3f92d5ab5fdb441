package io.hazelgrad.grid.graph;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.OwnMap;

/** Adds deployed graphs to every worker. */
public final class GraphsExtension implements GridExtension {
  /** For the service loader. */
  public GraphsExtension() {}

  @Override
  public int order() {
    return 5;
  }

  @Override
  public void prepare(Config config) {
    config
        .getSerializationConfig()
        .addDataSerializableFactory(GraphSerializers.FACTORY_ID, new GraphSerializers());
    OwnMap.in(config, Graphs.MAP).setInMemoryFormat(InMemoryFormat.BINARY).setBackupCount(1);
  }

  @Override
  public Object start(GridContext context) {
    return new Graphs(context);
  }
}
