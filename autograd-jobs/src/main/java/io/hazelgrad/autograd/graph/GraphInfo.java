package io.hazelgrad.autograd.graph;

import java.util.List;

/**
 * The description of a deployed graph.
 *
 * @param name the name for calls
 * @param version a number that grows with every deployment under this name
 * @param inputs the placeholders, in the order in which a call passes tensors
 * @param outputs the names of the results, in order
 * @param bytes the stored size of the graph with its constants
 */
public record GraphInfo(
    String name, long version, List<GraphInput> inputs, List<String> outputs, int bytes) {
  /** Copies the lists. */
  public GraphInfo {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }
}
