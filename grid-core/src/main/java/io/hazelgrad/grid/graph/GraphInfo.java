package io.hazelgrad.grid.graph;

import java.util.List;

/**
 * A deployed graph.
 *
 * @param name the name that calls use
 * @param version grows with every deployment under this name
 * @param inputs the placeholders, in the order in which a call passes tensors
 * @param outputs the names of the results, in their order
 * @param bytes the size of the graph with its constants, as stored
 */
public record GraphInfo(
    String name, long version, List<GraphInput> inputs, List<String> outputs, int bytes) {
  /** Copies the lists. */
  public GraphInfo {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }
}
