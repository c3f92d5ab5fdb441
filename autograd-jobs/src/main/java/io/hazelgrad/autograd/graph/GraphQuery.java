package io.hazelgrad.autograd.graph;

import com.hazelcast.core.ReadOnly;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the description of a graph without its bytes; null if no graph has the name. */
final class GraphQuery
    implements EntryProcessor<String, StoredGraph, @Nullable StoredGraph>,
        ReadOnly,
        IdentifiedDataSerializable {
  @Override
  public @Nullable StoredGraph process(Map.Entry<String, StoredGraph> entry) {
    @Nullable StoredGraph graph = entry.getValue();
    return graph == null || !graph.isLive() ? null : graph.withoutBytes();
  }

  @Override
  public @Nullable EntryProcessor<String, StoredGraph, @Nullable StoredGraph> getBackupProcessor() {
    return null;
  }

  @Override
  public int getFactoryId() {
    return GraphsExtension.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return GraphsExtension.QUERY;
  }

  @Override
  public void writeData(ObjectDataOutput out) {}

  @Override
  public void readData(ObjectDataInput in) {}
}
