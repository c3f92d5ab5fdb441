package io.hazelgrad.autograd.spi;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.grid.Tensor;

/**
 * Convolution by matrix products. The windows of the input become the columns of a matrix
 * (Chellapilla et al. 2006), and a product with the weights computes all sums: with K = C / groups
 * * kernel and L windows, {@code [groups, O / groups, K]} times {@code [N, groups, K, L]}.
 * Gradients are the products with either matrix transposed. They compute the columns again, because
 * keeping them would take as many times the input's memory as a kernel has elements.
 */
public record ColumnConvolution(Backend backend, Filter filter, Tensor weight) {
  /** Returns the output of the convolution. */
  public Tensor convolve(Tensor a) {
    return backend
        .matmul(matrix(), false, columns(a), false)
        .reshape(a.shape(0), weight.shape(0), filter.rows().count(), filter.columns().count());
  }

  /** Returns the gradient of the input. */
  public Tensor gradientOfInput(Tensor gradOutput, long... ofInput) {
    long planes = ofInput[0] * ofInput[1];
    Tensor windows =
        backend
            .matmul(matrix(), true, byGroup(gradOutput), false)
            .reshape(planes, filter.kernel(), filter.windows());
    return backend
        .addWindows(windows, filter.rows(), filter.columns(), planes, ofInput[2], ofInput[3])
        .reshape(ofInput);
  }

  /** Returns the gradient of the weight. */
  public Tensor gradientOfWeight(Tensor gradOutput, Tensor a) {
    Tensor product = backend.matmul(byGroup(gradOutput), false, columns(a), true);
    return ShapeRules.sumTo(backend, product, matrix().shape()).reshape(weight.shape());
  }

  /** Returns the weights as {@code [groups, O / groups, K]}. */
  private Tensor matrix() {
    return weight.reshape(filter.groups(), outputs(), weight.shape(1) * filter.kernel());
  }

  private long outputs() {
    return weight.shape(0) / filter.groups();
  }

  private Tensor byGroup(Tensor gradOutput) {
    return gradOutput.reshape(gradOutput.shape(0), filter.groups(), outputs(), filter.windows());
  }

  private Tensor columns(Tensor a) {
    Tensor planes = a.reshape(a.shape(0) * a.shape(1), a.shape(2), a.shape(3));
    return backend
        .windows(planes, filter.rows(), filter.columns())
        .reshape(a.shape(0), filter.groups(), matrix().shape(2), filter.windows());
  }
}
