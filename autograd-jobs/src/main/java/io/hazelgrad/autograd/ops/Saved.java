package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;
import java.util.List;

/**
 * The data that an operation keeps for its gradients. Only {@code tensors} takes much memory.
 *
 * @param operation the operation's name
 * @param inputs the types of the inputs
 * @param output the type of the output
 * @param attributes the attributes of the run
 * @param tensors what the gradient formulas need; only the operation knows their meaning
 */
public record Saved(
    String operation,
    List<TensorType> inputs,
    TensorType output,
    Attributes attributes,
    List<Tensor> tensors) {
  /** Copies the lists. */
  public Saved {
    inputs = List.copyOf(inputs);
    tensors = List.copyOf(tensors);
  }
}
