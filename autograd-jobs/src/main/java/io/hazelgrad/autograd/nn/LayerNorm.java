package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.Arrays;
import java.util.List;

/**
 * Normalises over the last dimensions; as {@code torch.nn.LayerNorm}, with its parameters {@code
 * weight} and {@code bias} of the shape of these dimensions.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class LayerNorm extends Module<Variable, Variable> {
  private static final double EPS = 1e-5;

  private final Attributes attributes;
  private final List<Variable> affine;

  /** Makes a layer over the last dimension, with weight and bias, and eps 1e-5. */
  public LayerNorm(int columns, Init init) {
    this(List.of(columns), EPS, true, init);
  }

  /**
   * Makes a layer.
   *
   * @param shape the extents of the last dimensions
   * @param eps what is added to the variance
   * @param affine whether there are weight and bias
   */
  public LayerNorm(List<Integer> shape, double eps, boolean affine, Init init) {
    long[] extents = shape.stream().mapToLong(each -> each).toArray();
    if (extents.length == 0 || Arrays.stream(extents).anyMatch(each -> each < 1) || !(eps >= 0)) {
      throw bad("needs dimensions and eps of at least 0: shape=" + shape + " eps=" + eps);
    }
    attributes = Attributes.of("normalized_shape", extents, "eps", eps);
    this.affine =
        affine
            ? List.of(
                parameter("weight", init.full(1, extents)),
                parameter("bias", init.full(0, extents)))
            : List.of();
  }

  @Override
  public Variable forward(Variable x) {
    return affine.isEmpty()
        ? Variable.apply("layer_norm", attributes, x)
        : Variable.apply("layer_norm", attributes, x, affine.get(0), affine.get(1));
  }
}
