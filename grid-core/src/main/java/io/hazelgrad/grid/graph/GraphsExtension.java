package io.hazelgrad.grid.graph;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.spi.merge.DiscardMergePolicy;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds graphs to every grid; found by the grid itself. */
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
    // Not by getMapConfig(name): that returns, and so would change, an application's wildcard.
    MapConfig graphs = config.getMapConfigs().get(Graphs.MAP);
    if (graphs == null) {
      graphs = new MapConfig(Graphs.MAP);
      config.addMapConfig(graphs);
    }
    graphs
        .setInMemoryFormat(InMemoryFormat.BINARY)
        .setBackupCount(1)
        .setMergePolicyConfig(
            new MergePolicyConfig().setPolicy(DiscardMergePolicy.class.getName()));
  }

  @Override
  public Object start(GridContext context) {
    return new Graphs(context);
  }
}
