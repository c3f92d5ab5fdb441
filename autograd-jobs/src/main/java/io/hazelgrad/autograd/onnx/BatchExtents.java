package io.hazelgrad.autograd.onnx;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Arrays;
import java.util.Map;

/**
 * Writes shapes that depend on the batch: an extent is a linear function of the batch, found from
 * its values in two traces whose batches differ by one.
 *
 * @param input the input that the batch is read from
 * @param dim its dimension
 * @param batch the batch in the first trace
 */
record BatchExtents(NodeWriter nodes, String input, int dim, long batch) {
  /** Returns the name of a vector of these extents, which differ in two traces. */
  String shape(long[] first, long[] second) {
    if (Arrays.equals(first, second)) {
      return nodes.integers(first);
    }
    String[] parts = new String[first.length];
    for (int i = 0; i < first.length; i++) {
      parts[i] = extent(first[i], second[i]);
    }
    return nodes.node("Concat", Map.of("axis", 0), parts);
  }

  private String extent(long first, long second) {
    long slope = second - first;
    if (slope == 0) {
      return nodes.integers(first);
    }
    if (dim < 0) {
      throw new GridException(Status.BAD_ARGUMENT, "an extent depends on a batch that is fixed");
    }
    String shape = nodes.node("Shape", Map.of(), input);
    String own = nodes.node("Gather", Map.of("axis", 0), shape, nodes.integers(dim));
    String scaled = nodes.node("Mul", Map.of(), own, nodes.integers(slope));
    long rest = first - slope * batch;
    return rest == 0 ? scaled : nodes.node("Add", Map.of(), scaled, nodes.integers(rest));
  }
}
