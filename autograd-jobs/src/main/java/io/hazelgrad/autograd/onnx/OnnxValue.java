package io.hazelgrad.autograd.onnx;

import io.hazelgrad.grid.DType;
import java.util.List;

/**
 * An input or output of an ONNX model.
 *
 * @param name its name
 * @param dtype its element type
 * @param shape its extents, -1 for any; empty if the model declares no shape, or for a scalar
 */
public record OnnxValue(String name, DType dtype, List<Long> shape) {
  /** Copies the shape. */
  public OnnxValue {
    shape = List.copyOf(shape);
  }

  @Override
  public String toString() {
    return name + " " + dtype + (shape.isEmpty() ? "" : " " + shape);
  }
}
