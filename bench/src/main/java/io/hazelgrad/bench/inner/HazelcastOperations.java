package io.hazelgrad.bench.inner;

import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import io.hazelgrad.grid.Grid;

/** Counts the operations of a member for {@code bench workers}; Hazelcast's public API does not. */
public final class HazelcastOperations {
  private HazelcastOperations() {}

  /** Returns the number of operations that the member of a grid has run since its start. */
  public static long count(Grid grid) {
    return ((HazelcastInstanceProxy) grid.hazelcast())
        .getOriginal()
        .node
        .getNodeEngine()
        .getOperationService()
        .getExecutedOperationCount();
  }
}
