package io.hazelgrad.autograd.graph;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/**
 * A placeholder of a graph.
 *
 * @param name its name
 * @param dtype its element type
 * @param shape its extents, -1 for any; empty if the graph declares no shape and takes any
 */
public record GraphInput(String name, DType dtype, List<Long> shape) {
  /** Copies the shape. */
  public GraphInput {
    shape = List.copyOf(shape);
  }

  boolean takesShapeOf(Tensor tensor) {
    if (shape.isEmpty()) {
      return true;
    }
    if (tensor.rank() != shape.size()) {
      return false;
    }
    for (int i = 0; i < shape.size(); i++) {
      if (shape.get(i) >= 0 && shape.get(i) != tensor.shape(i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return name + " " + dtype + (shape.isEmpty() ? "" : " " + shape);
  }
}
