package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Cross-correlation, called convolution: a of shape {@code [N, C, ..]} or {@code [C, ..]}, weight
 * {@code [O, C / groups, ..]} and optionally bias {@code [O]}. Attributes: {@code stride}, {@code
 * padding} with zeros on both sides, {@code dilation}, {@code groups}.
 *
 * <p>The windows of the input are laid out as columns of a matrix (Chellapilla et al. 2006), so
 * that a product with the weights does all sums: with K = C / groups * kernel and L windows, {@code
 * [groups, O / groups, K]} times {@code [N, groups, K, L]}. Gradients are the products with either
 * matrix transposed. The columns are laid out again then: keeping them would take a kernel's size
 * times the memory.
 */
final class Convolution extends AbstractOperation {
  private final int rank;

  /** Makes it over one or two dimensions. */
  Convolution(String name, int rank) {
    super(name, 2, 3, "stride", "padding", "dilation", "groups");
    this.rank = rank;
  }

  @Override
  TensorType type(List<TensorType> inputs, Attributes attributes) {
    TensorType a = inputs.get(0);
    TensorType weight = inputs.get(1);
    DType dtype = a.dtype();
    if (!dtype.isFloating() || inputs.stream().anyMatch(t -> t.dtype() != dtype)) {
      throw bad("takes floating-point elements of one type: " + inputs);
    }
    boolean batched = a.rank() == rank + 2;
    if ((!batched && a.rank() != rank + 1) || weight.rank() != rank + 2) {
      throw bad("takes a of rank " + (rank + 2) + " or one less and as large a weight: " + inputs);
    }
    long groups = groups(attributes);
    long channels = a.extent(a.rank() - rank - 1);
    long outputs = weight.extent(0);
    if (channels % groups != 0
        || outputs % groups != 0
        || channels / groups != weight.extent(1)
        || weight.size() == 0) {
      throw bad(
          "channels of a do not fit to weight [O, C / groups, ..], groups="
              + groups
              + ": "
              + inputs);
    }
    if (inputs.size() == 3 && !inputs.get(2).equals(new TensorType(dtype, outputs))) {
      throw bad("bias must have the shape [" + outputs + "]: " + inputs.get(2));
    }
    Plane plane = plane(a.shape(), weight.shape(), attributes);
    long[] shape = batched ? plane.windows(a.extent(0), outputs) : plane.windows(outputs);
    // The layout must have room, too.
    long kernel = plane.rows().kernel() * plane.columns().kernel();
    TensorType unused =
        new TensorType(name(), dtype, plane.windows(batched ? a.extent(0) : 1, channels, kernel));
    return new TensorType(name(), dtype, shape);
  }

  private long groups(Attributes attributes) {
    long groups = attributes.integer(name(), "groups", 1);
    if (groups < 1) {
      throw bad("groups=" + groups + " must be at least 1");
    }
    return groups;
  }

  private Plane plane(long[] a, long[] weight, Attributes attributes) {
    long[] extents = Arrays.copyOfRange(a, a.length - rank, a.length);
    return Plane.of(name(), extents, Arrays.copyOfRange(weight, 2, rank + 2), attributes);
  }

  /** The extents of the products. */
  private record Extents(long batch, long groups, long outputs, long rows, long windows) {}

  private Extents extents(long[] a, long[] weight, Plane plane, Attributes attributes) {
    long groups = groups(attributes);
    long batch = a.length == rank + 2 ? a[0] : 1;
    long rows = Tensor.sizeOf(Arrays.copyOfRange(weight, 1, weight.length));
    long windows = plane.rows().count() * plane.columns().count();
    return new Extents(batch, groups, weight[0] / groups, rows, windows);
  }

  private static Tensor columns(Backend backend, Tensor a, Plane plane, Extents e) {
    return backend
        .windows(plane.planes(a), plane.rows(), plane.columns())
        .reshape(e.batch(), e.groups(), e.rows(), e.windows());
  }

  @Override
  Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    Tensor a = inputs.get(0);
    Tensor weight = inputs.get(1);
    List<TensorType> types = inputs.stream().map(TensorType::of).toList();
    long[] shape = type(types, attributes).shape();
    Plane plane = plane(a.shape(), weight.shape(), attributes);
    Extents e = extents(a.shape(), weight.shape(), plane, attributes);
    Tensor matrix = weight.reshape(e.groups(), e.outputs(), e.rows());
    Tensor product = backend.matmul(matrix, false, columns(backend, a, plane, e), false);
    Term output = new Term(backend, product.reshape(shape));
    if (inputs.size() == 3) {
      long[] along = new long[rank + 1];
      Arrays.fill(along, 1);
      along[0] = weight.shape(0);
      output = output.plus(output.of(inputs.get(2).reshape(along)));
    }
    return Computed.of(output.tensor(), a, weight);
  }

  @Override
  Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
    Tensor a = saved.tensors().get(0);
    Tensor weight = saved.tensors().get(1);
    Plane plane = plane(a.shape(), weight.shape(), saved.attributes());
    Extents e = extents(a.shape(), weight.shape(), plane, saved.attributes());
    Tensor g = gradOutput.reshape(e.batch(), e.groups(), e.outputs(), e.windows());
    if (input == 0) {
      Tensor matrix = weight.reshape(e.groups(), e.outputs(), e.rows());
      long kernel = plane.rows().kernel() * plane.columns().kernel();
      long planes = e.batch() * e.groups() * (e.rows() / kernel);
      Tensor ofWindows =
          backend.matmul(matrix, true, g, false).reshape(planes, kernel, e.windows());
      return backend
          .addWindows(
              ofWindows, plane.rows(), plane.columns(), planes, plane.height(), plane.width())
          .reshape(a.shape());
    }
    if (input == 1) {
      Tensor product = backend.matmul(g, false, columns(backend, a, plane, e), true);
      long[] matrix = {e.groups(), e.outputs(), e.rows()};
      return Shapes.sumTo(backend, product, matrix).reshape(weight.shape());
    }
    long[] channels = {e.batch(), weight.shape(0), e.windows()};
    return new Term(backend, gradOutput.reshape(channels))
        .sum(0, 2)
        .tensor()
        .reshape(weight.shape(0));
  }
}
