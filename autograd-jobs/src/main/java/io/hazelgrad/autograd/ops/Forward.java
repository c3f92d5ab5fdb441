package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;
import java.util.Map;

/**
 * The result of {@link Operation#forward}.
 *
 * @param output the result
 * @param more further results by name, such as {@code indices}; they have no gradients
 * @param saved what {@link Operation#backward} needs
 */
public record Forward(Tensor output, Map<String, Tensor> more, Saved saved) {
  /** Copies the map. */
  public Forward {
    more = Map.copyOf(more);
  }
}
