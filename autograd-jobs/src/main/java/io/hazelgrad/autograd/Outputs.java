package io.hazelgrad.autograd;

import io.hazelgrad.grid.Tensor;
import java.util.Map;

/**
 * All outputs of an operation.
 *
 * @param output the differentiable output
 * @param more the further outputs by their names in the catalogue, such as {@code indices}; they
 *     have no gradients
 */
public record Outputs(Variable output, Map<String, Tensor> more) {
  /** Copies the map. */
  public Outputs {
    more = Map.copyOf(more);
  }
}
