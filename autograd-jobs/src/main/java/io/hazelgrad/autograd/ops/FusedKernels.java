package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;

/**
 * Layers that a backend computes in one pass over memory, for one element type. The formulas of the
 * operations define the results; these methods agree with them to a few units in the last place.
 *
 * <p>Callers check the arguments. Rows lie along the last dimension, which has elements.
 *
 * <p>Threads: implementations must be safe for use by many threads at once.
 */
public interface FusedKernels {
  /** Returns x times the distribution function of the normal distribution. */
  Tensor gelu(Tensor x);

  /** Returns the gradient of the input of {@link #gelu} from that of its output. */
  Tensor geluGradient(Tensor gradient, Tensor x);

  /**
   * Returns the softmax of each row of {@code scale * x}.
   *
   * @param causal whether row i of each matrix has zeros behind element i, which are not counted
   */
  Tensor softmax(Tensor x, double scale, boolean causal);

  /** Returns the gradient of the input of {@link #softmax} from that of its output. */
  Tensor softmaxGradient(Tensor gradient, Tensor output, double scale);

  /**
   * Returns each row without its mean, divided by the root of its variance plus eps.
   *
   * @param columns the number of elements of a row, which may be several dimensions
   */
  Normalised normalise(Tensor x, int columns, double eps);

  /** Returns {@code x * weight + bias} for each row of the size of weight and bias. */
  Tensor affine(Tensor x, Tensor weight, Tensor bias);

  /**
   * Returns the gradient of the input of {@link #normalise} followed by a product with a weight.
   *
   * @param gradient that of the product
   */
  Tensor normaliseGradient(Tensor gradient, Normalised normalised, Tensor weight);

  /**
   * Normalised rows.
   *
   * @param rows the rows, in the shape of the input
   * @param scales one by the root of the variance plus eps, for each row
   */
  record Normalised(Tensor rows, Tensor scales) {}
}
