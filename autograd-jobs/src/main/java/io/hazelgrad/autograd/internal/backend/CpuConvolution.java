package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.NeedsNd4j;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Decides which convolutions {@link NativeConvolution} computes, without loading that class. */
final class CpuConvolution {
  /** Below about this many multiplications, copying to ND4J and back costs more than it saves. */
  private static final long MIN_MULTIPLICATIONS = 400_000;

  private CpuConvolution() {}

  /**
   * Returns whether ND4J computes it: it is large, oneDNN is there, no dilation and no groups.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT if ND4J would read beyond an array
   */
  static boolean isNative(Tensor a, Tensor weight, Filter filter) {
    if (!fits(a, weight, filter)) {
      return false;
    }
    if (weight.dtype() != a.dtype()
        || !weight.hasShape(
            weight.shape(0), a.shape(1), filter.rows().kernel(), filter.columns().kernel())
        || !lies(filter.rows(), a.shape(2))
        || !lies(filter.columns(), a.shape(3))) {
      throw OperationErrors.bad(
          "convolve", TensorType.of(a) + " by " + TensorType.of(weight) + ", " + filter);
    }
    return NeedsNd4j.toDo(
        "a convolution of " + TensorType.of(a), () -> NativeConvolution.HAS_ONEDNN);
  }

  private static boolean fits(Tensor a, Tensor weight, Filter filter) {
    return a.dtype() == DType.FLOAT32
        && a.rank() == 4
        && weight.rank() == 4
        && filter.groups() == 1
        && filter.rows().dilation() == 1
        && filter.columns().dilation() == 1
        && a.shape(0) * filter.windows() * weight.size() >= MIN_MULTIPLICATIONS;
  }

  /** Returns whether there are as many windows as there is room for. */
  private static boolean lies(Window window, long extent) {
    long room = extent + 2 * window.padding() - window.kernel();
    return window.padding() >= 0
        && window.stride() >= 1
        && room >= 0
        && window.count() == room / window.stride() + 1;
  }

  /** Checks what comes back for the output. */
  static void checkGradient(Tensor gradOutput, Tensor a, Tensor weight, Filter filter) {
    long[] shape = {a.shape(0), weight.shape(0), filter.rows().count(), filter.columns().count()};
    if (gradOutput.dtype() != a.dtype() || !gradOutput.hasShape(shape)) {
      throw OperationErrors.bad(
          "convolve",
          "the gradient is " + TensorType.of(gradOutput) + ", not " + Arrays.toString(shape));
    }
  }
}
