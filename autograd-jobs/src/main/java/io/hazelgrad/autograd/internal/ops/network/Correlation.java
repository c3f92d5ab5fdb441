package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.backend.WindowPlane;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cross-correlation, called convolution: a of shape {@code [N, C, ..]} or {@code [C, ..]}, weight
 * {@code [O, C / groups, ..]} and optionally bias {@code [O]}. Attributes: {@code stride}, {@code
 * padding} with zeros on both sides, {@code dilation}, {@code groups}.
 */
public final class Correlation extends AbstractOperation {
  private final int rank;

  /** Makes it over one or two dimensions. */
  public Correlation(String name, int rank) {
    super(name, 2, 3, "stride", "padding", "dilation", "groups");
    this.rank = rank;
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
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
          "channels of a do not fit to weight [O, C / groups, ..], groups=%s: %s"
              .formatted(groups, inputs));
    }
    if (inputs.size() == 3 && !inputs.get(2).equals(new TensorType(dtype, outputs))) {
      throw bad("bias must have the shape [" + outputs + "]: " + inputs.get(2));
    }
    WindowPlane plane = plane(a.shape(), weight.shape(), attributes);
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

  private WindowPlane plane(long[] a, long[] weight, Attributes attributes) {
    long[] extents = Arrays.copyOfRange(a, a.length - rank, a.length);
    long[] kernel = Arrays.copyOfRange(weight, 2, rank + 2);
    return WindowPlane.of(name(), extents, kernel, WindowPlane.ones(rank), attributes);
  }

  private Filter filter(WindowPlane plane, Attributes attributes) {
    return new Filter(plane.rows(), plane.columns(), groups(attributes));
  }

  /** Adds what is missing of four dimensions: the batch in front, the rows before the columns. */
  private Tensor whole(Tensor a, WindowPlane plane) {
    long batch = a.rank() == rank + 2 ? a.shape(0) : 1;
    return a.reshape(batch, a.shape(-rank - 1), plane.height(), plane.width());
  }

  private static Tensor kernels(Tensor weight, WindowPlane plane) {
    return weight.reshape(
        weight.shape(0), weight.shape(1), plane.rows().kernel(), plane.columns().kernel());
  }

  @Override
  public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
    Tensor a = inputs.get(0);
    Tensor weight = inputs.get(1);
    long[] shape = type(types(inputs), attributes).shape();
    WindowPlane plane = plane(a.shape(), weight.shape(), attributes);
    Tensor product =
        backend.convolve(whole(a, plane), kernels(weight, plane), filter(plane, attributes));
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
  public List<@Nullable Tensor> gradients(
      Backend backend, Saved saved, Tensor gradOutput, boolean[] needed) {
    Tensor a = saved.tensors().get(0);
    Tensor weight = saved.tensors().get(1);
    WindowPlane plane = plane(a.shape(), weight.shape(), saved.attributes());
    Tensor input = whole(a, plane);
    long outputs = weight.shape(0);
    long windows = plane.rows().count() * plane.columns().count();
    Tensor g =
        gradOutput.reshape(input.shape(0), outputs, plane.rows().count(), plane.columns().count());
    List<@Nullable Tensor> both =
        backend.convolveGradients(
            input,
            kernels(weight, plane),
            g,
            filter(plane, saved.attributes()),
            needed[0],
            needed[1]);
    List<@Nullable Tensor> gradients = new ArrayList<>();
    gradients.add(reshaped(both.get(0), a));
    gradients.add(reshaped(both.get(1), weight));
    if (needed.length == 3) {
      Term ofChannels = new Term(backend, gradOutput.reshape(input.shape(0), outputs, windows));
      gradients.add(needed[2] ? ofChannels.sum(0, 2).tensor().reshape(outputs) : null);
    }
    return gradients;
  }

  private static @Nullable Tensor reshaped(@Nullable Tensor gradient, Tensor input) {
    return gradient == null ? null : gradient.reshape(input.shape());
  }
}
