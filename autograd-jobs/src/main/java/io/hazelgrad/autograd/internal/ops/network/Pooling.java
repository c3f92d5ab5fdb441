package io.hazelgrad.autograd.internal.ops.network;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.internal.backend.WindowPlane;
import io.hazelgrad.autograd.internal.ops.AbstractOperation;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The greatest element or the mean of windows over planes, of {@code [N, C, H, W]} or {@code [C, H,
 * W]}. Attributes: {@code kernel}, {@code stride} (that of the kernel by default), {@code padding}
 * by at most half a kernel, {@code ceil_mode}.
 */
public final class Pooling {
  private Pooling() {}

  public static List<Operation> all() {
    return List.of(new MaxPool(), new AveragePool());
  }

  /** The checks of both kinds of pooling. */
  private abstract static class Pool extends AbstractOperation {
    Pool(String name, String... attributes) {
      super(name, 1, 1, attributes);
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType a = inputs.get(0);
      if (!a.dtype().isFloating() || a.rank() < 3 || a.rank() > 4) {
        throw bad("takes floating-point elements of shape [N, C, H, W] or [C, H, W]: " + a);
      }
      WindowPlane plane = plane(a.shape(), attributes);
      if (Stream.of(plane.rows(), plane.columns()).anyMatch(w -> w.padding() > w.kernel() / 2)) {
        throw bad("padding must be at most half the kernel: " + attributes);
      }
      if (plane.height() == 0 || plane.width() == 0) {
        throw bad("takes planes with elements: " + a);
      }
      long[] front = Arrays.copyOf(a.shape(), a.rank() - 2);
      return new TensorType(name(), a.dtype(), plane.windows(front));
    }

    final WindowPlane plane(long[] shape, Attributes attributes) {
      long[] kernel = WindowPlane.each(name(), "kernel", new long[2], 1, attributes);
      if (kernel[0] == 0) {
        throw bad("attribute kernel is missing");
      }
      long[] extents = Arrays.copyOfRange(shape, shape.length - 2, shape.length);
      return WindowPlane.of(name(), extents, kernel, kernel, attributes);
    }
  }

  /** The greatest element; {@code indices} says where in the plane, row by row. */
  private static final class MaxPool extends Pool {
    MaxPool() {
      super("max_pool2d", "kernel", "stride", "padding", "dilation", "ceil_mode");
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor a = inputs.get(0);
      long[] shape = type(List.of(TensorType.of(a)), attributes).shape();
      WindowPlane plane = plane(a.shape(), attributes);
      Tensor planes = plane.planes(a);
      Tensor index = backend.indexOfMax(planes, plane.rows(), plane.columns());
      Tensor flat = planes.reshape(planes.shape(0), plane.height() * plane.width());
      Tensor output = backend.gather(flat, 1, index).reshape(shape);
      return new Computed(output, List.of(index), Map.of("indices", index.reshape(shape)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      long[] shape = saved.inputs().get(0).shape();
      WindowPlane plane = plane(shape, saved.attributes());
      Tensor index = saved.tensors().get(0);
      Tensor g = gradOutput.reshape(index.shape());
      long size = plane.height() * plane.width();
      return backend.scatter(g, 1, index, index.shape(0), size).reshape(shape);
    }
  }

  /**
   * The mean. It counts the padding unless {@code count_include_pad} is false; or it divides by
   * {@code divisor_override}.
   */
  private static final class AveragePool extends Pool {
    AveragePool() {
      super(
          "avg_pool2d",
          "kernel",
          "stride",
          "padding",
          "ceil_mode",
          "count_include_pad",
          "divisor_override");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType type = super.type(inputs, attributes);
      boolean unused = attributes.flag(name(), "count_include_pad", true);
      if (attributes.integer(name(), "divisor_override", 1) == 0) {
        throw bad("divisor_override must not be 0");
      }
      WindowPlane plane = plane(inputs.get(0).shape(), attributes);
      // The layout must have room, too.
      TensorType unusedType =
          new TensorType(
              name(), type.dtype(), type.size(), plane.rows().kernel(), plane.columns().kernel());
      return type;
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor a = inputs.get(0);
      TensorType type = type(List.of(TensorType.of(a)), attributes);
      if (type.size() == 0) {
        return Computed.of(Tensor.zeros(a.dtype(), type.shape()));
      }
      WindowPlane plane = plane(a.shape(), attributes);
      Tensor windows = backend.windows(plane.planes(a), plane.rows(), plane.columns());
      Term sums = new Term(backend, backend.reduce(Reduction.SUM, windows, 1));
      Term output = sums.over(sums.of(divisors(plane, a.dtype(), attributes)));
      return Computed.of(output.tensor().reshape(type.shape()));
    }

    /** Returns what the sum of each window is divided by. */
    private Tensor divisors(WindowPlane plane, DType dtype, Attributes attributes) {
      if (attributes.has("divisor_override")) {
        return Tensor.full(dtype, attributes.number(name(), "divisor_override", 1));
      }
      boolean padding = attributes.flag(name(), "count_include_pad", true);
      double[] rows = counts(plane.rows(), plane.height(), padding);
      double[] columns = counts(plane.columns(), plane.width(), padding);
      double[] divisors = new double[rows.length * columns.length];
      Arrays.setAll(divisors, i -> rows[i / columns.length] * columns[i % columns.length]);
      return Tensor.wrap(divisors, divisors.length).to(dtype);
    }

    /** Returns how many elements of each window count along one dimension. */
    private static double[] counts(Window window, long extent, boolean padding) {
      double[] counts = new double[(int) window.count()];
      long around = padding ? window.padding() : 0;
      for (int n = 0; n < counts.length; n++) {
        long first = Math.max(-around, window.position(n, 0));
        long end = Math.min(extent + around, window.position(n, window.kernel()));
        counts[n] = Math.max(0, end - first);
      }
      return counts;
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      long[] shape = saved.inputs().get(0).shape();
      WindowPlane plane = plane(shape, saved.attributes());
      if (gradOutput.size() == 0) {
        return Tensor.zeros(gradOutput.dtype(), shape);
      }
      long planes = Tensor.sizeOf(Arrays.copyOf(shape, shape.length - 2));
      long windows = plane.rows().count() * plane.columns().count();
      long kernel = plane.rows().kernel() * plane.columns().kernel();
      Term g = new Term(backend, gradOutput.reshape(planes, 1, windows));
      Term part = g.over(g.of(divisors(plane, gradOutput.dtype(), saved.attributes())));
      Tensor each = backend.expand(part.tensor(), planes, kernel, windows);
      return backend
          .addWindows(each, plane.rows(), plane.columns(), planes, plane.height(), plane.width())
          .reshape(shape);
    }
  }
}
