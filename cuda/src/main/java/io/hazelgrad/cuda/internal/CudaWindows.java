package io.hazelgrad.cuda.internal;

import static io.hazelgrad.cuda.internal.Operands.computing;
import static io.hazelgrad.cuda.internal.Operands.moving;

import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;

/** Windows over planes. Threads: safe. */
final class CudaWindows {
  private final Gpu gpu;
  private final Operands operands;

  CudaWindows(Gpu gpu, Operands operands) {
    this.gpu = gpu;
    this.operands = operands;
  }

  Tensor windows(Tensor x, Window rows, Window columns, TensorType type) {
    CudaStorage out = gpu.allocate(x.dtype(), type.size());
    gpu.launch(moving("windows", x.dtype()))
        .with(out)
        .with(operands.of(x))
        .with((long) type.size())
        .with(span(rows, x.shape(1)))
        .with(span(columns, x.shape(2)))
        .over(type.size());
    return out.tensor(type.shape());
  }

  Tensor addWindows(Tensor values, Window rows, Window columns, TensorType type) {
    CudaStorage out = operands.allocate(values.dtype(), type.size());
    gpu.launch(computing("addwindows", values.dtype()))
        .with(out)
        .with(operands.working(values))
        .with((long) type.size())
        .with(span(rows, type.extent(1)))
        .with(span(columns, type.extent(2)))
        .over(type.size());
    return operands.narrow(out, values.dtype(), type.shape());
  }

  Tensor indexOfMax(Tensor x, Window rows, Window columns, TensorType type) {
    CudaStorage out = gpu.allocate(DType.INT64, type.size());
    gpu.launch(computing("indexofmax", x.dtype()))
        .with(out)
        .with(operands.working(x))
        .with((long) type.size())
        .with(span(rows, x.shape(1)))
        .with(span(columns, x.shape(2)))
        .over(type.size());
    return out.tensor(type.shape());
  }

  /** Returns the struct of the kernels; steps that are never taken are 1. */
  private static int[] span(Window window, long extent) {
    long stride = window.count() <= 1 ? 1 : window.stride();
    long dilation = window.kernel() <= 1 ? 1 : window.dilation();
    double reach =
        (double) stride * window.count() + (double) dilation * window.kernel() + window.padding();
    if (reach + extent > Integer.MAX_VALUE) {
      throw OperationErrors.bad("windows", window + " reaches beyond 2^31 - 1 on a GPU");
    }
    return new int[] {
      (int) window.kernel(),
      (int) stride,
      (int) window.padding(),
      (int) dilation,
      (int) window.count(),
      (int) extent
    };
  }
}
