package io.hazelgrad.autograd.graph;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts a graph into the map or removes it, if the present state is as expected. The result is the
 * new version, or {@link #REFUSED}. A repetition of the same deployment changes nothing.
 */
final class GraphUpdate
    implements EntryProcessor<String, StoredGraph, Long>, IdentifiedDataSerializable {
  static final long REFUSED = -1;

  private StoredGraph graph = new StoredGraph();
  private boolean expectLive;

  /** For the serializer. */
  GraphUpdate() {}

  /**
   * Creates an update.
   *
   * @param expectLive whether a graph of the name must exist, or must not
   */
  GraphUpdate(StoredGraph graph, boolean expectLive) {
    this.graph = graph;
    this.expectLive = expectLive;
  }

  @Override
  public Long process(Map.Entry<String, StoredGraph> entry) {
    @Nullable StoredGraph before = entry.getValue();
    if (before != null && before.deployment().equals(graph.deployment())) {
      return before.version();
    }
    if (expectLive != (before != null && before.isLive())) {
      return REFUSED;
    }
    long version = before == null ? 1 : before.version() + 1;
    entry.setValue(graph.withVersion(version));
    return version;
  }

  @Override
  public int getFactoryId() {
    return GraphsExtension.FACTORY_ID;
  }

  @Override
  public int getClassId() {
    return GraphsExtension.UPDATE;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    graph.writeData(out);
    out.writeBoolean(expectLive);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    graph.readData(in);
    expectLive = in.readBoolean();
  }
}
