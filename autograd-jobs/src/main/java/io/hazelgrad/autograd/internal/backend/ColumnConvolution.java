package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.grid.Tensor;

/**
 * Convolution by other arithmetic of a backend. The windows of the input are laid out as columns of
 * a matrix (Chellapilla et al. 2006), so that a product with the weights does all sums: with K = C
 * / groups * kernel and L windows, {@code [groups, O / groups, K]} times {@code [N, groups, K, L]}.
 * Gradients are the products with either matrix transposed. The columns are laid out again then:
 * keeping them would take a kernel's size times the memory.
 */
public final class ColumnConvolution {
  private final Backend backend;
  private final Filter filter;
  private final long[] ofWeight;
  private final long groups;
  private final long outputs;
  private final long rows;

  public ColumnConvolution(Backend backend, Filter filter, long... ofWeight) {
    this.backend = backend;
    this.filter = filter;
    this.ofWeight = ofWeight;
    groups = filter.groups();
    outputs = ofWeight[0] / groups;
    rows = ofWeight[1] * filter.kernel();
  }

  public Tensor convolve(Tensor a, Tensor weight) {
    return backend
        .matmul(matrix(weight), false, columns(a), false)
        .reshape(a.shape(0), ofWeight[0], filter.rows().count(), filter.columns().count());
  }

  public Tensor gradientOfInput(Tensor gradOutput, Tensor weight, long... ofInput) {
    long planes = ofInput[0] * ofInput[1];
    Tensor windows =
        backend
            .matmul(matrix(weight), true, byGroup(gradOutput), false)
            .reshape(planes, filter.kernel(), filter.windows());
    return backend
        .addWindows(windows, filter.rows(), filter.columns(), planes, ofInput[2], ofInput[3])
        .reshape(ofInput);
  }

  public Tensor gradientOfWeight(Tensor gradOutput, Tensor a) {
    Tensor product = backend.matmul(byGroup(gradOutput), false, columns(a), true);
    return ShapeRules.sumTo(backend, product, new long[] {groups, outputs, rows}).reshape(ofWeight);
  }

  private Tensor matrix(Tensor weight) {
    return weight.reshape(groups, outputs, rows);
  }

  private Tensor byGroup(Tensor gradOutput) {
    return gradOutput.reshape(gradOutput.shape(0), groups, outputs, filter.windows());
  }

  private Tensor columns(Tensor a) {
    Tensor planes = a.reshape(a.shape(0) * a.shape(1), a.shape(2), a.shape(3));
    return backend
        .windows(planes, filter.rows(), filter.columns())
        .reshape(a.shape(0), groups, rows, filter.windows());
  }
}
