package io.hazelgrad.autograd;

import io.hazelgrad.grid.Tensor;
import java.util.Map;

/**
 * All that an operation gives.
 *
 * @param output the output
 * @param more the further outputs by the names of the catalogue, such as {@code indices}; they have
 *     no gradients
 */
public record Outputs(Variable output, Map<String, Tensor> more) {
  /** Copies the map. */
  public Outputs {
    more = Map.copyOf(more);
  }
}
