package io.hazelgrad.cuda.internal;

import static io.hazelgrad.cuda.internal.Operands.computing;
import static io.hazelgrad.cuda.internal.Operands.moving;

import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;

/**
 * Reads and sums by index. Indices were checked on the host before. Sums add in the order of the
 * index, and no kernel uses atomics, so results have the same bits each time.
 *
 * <p>Threads: safe.
 */
final class CudaIndexing {
  private final Gpu gpu;
  private final Operands operands;
  private final CudaMoves moves;

  CudaIndexing(Gpu gpu, Operands operands, CudaMoves moves) {
    this.gpu = gpu;
    this.operands = operands;
    this.moves = moves;
  }

  Tensor take(Tensor x, int dim, Tensor index, TensorType type) {
    long step = stepOf(index);
    if (step >= 0) {
      return moves.slice(x, dim, index.storage().getLong(0), step, type);
    }
    CudaStorage out = gpu.allocate(x.dtype(), type.size());
    gpu.launch(moving("take", x.dtype()))
        .with(out)
        .with(operands.of(x))
        .with(operands.of(index))
        .with((long) type.size())
        .with(index.size())
        .with((int) x.shape(dim))
        .with(CudaMoves.inner(x.shape(), dim))
        .over(type.size());
    return out.tensor(type.shape());
  }

  /** Returns the step of an index of the host that is start, start + step, ..; else -1. */
  private static long stepOf(Tensor index) {
    int n = index.size();
    if (!index.device().isOfHost() || n == 0 || index.storage().getLong(0) < 0) {
      return -1;
    }
    Storage values = index.storage();
    long step = n == 1 ? 0 : values.getLong(1) - values.getLong(0);
    for (int i = 2; i < n && step >= 0; i++) {
      step = values.getLong(i) - values.getLong(i - 1) == step ? step : -1;
    }
    return step;
  }

  Tensor put(Tensor values, int dim, Tensor index, TensorType type) {
    int extent = (int) type.extent(dim);
    long[] starts = new long[extent + 1];
    for (int i = 0; i < index.size(); i++) {
      long target = index.storage().getLong(i);
      if (target >= 0) {
        starts[(int) target + 1]++;
      }
    }
    for (int i = 0; i < extent; i++) {
      starts[i + 1] += starts[i];
    }
    long[] order = new long[index.size()];
    long[] next = starts.clone();
    for (int i = 0; i < index.size(); i++) {
      long target = index.storage().getLong(i);
      if (target >= 0) {
        order[(int) next[(int) target]++] = i;
      }
    }
    CudaStorage out = operands.allocate(values.dtype(), type.size());
    gpu.launch(computing("put", values.dtype()))
        .with(out)
        .with(operands.working(values))
        .with(operands.of(Tensor.wrap(order, order.length)))
        .with(operands.of(Tensor.wrap(starts, starts.length)))
        .with((long) type.size())
        .with(extent)
        .with(CudaMoves.inner(type.shape(), dim))
        .with(index.size())
        .over(type.size());
    return operands.narrow(out, values.dtype(), type.shape());
  }

  Tensor gather(Tensor x, int dim, Tensor index, TensorType type) {
    long[] steps = Walk.rows(x.shape());
    CudaStorage out = gpu.allocate(x.dtype(), type.size());
    gpu.launch(moving("gather", x.dtype()))
        .with(out)
        .with(operands.of(x))
        .with(operands.of(index))
        .with((long) index.size())
        .with((int) steps[dim])
        .with(Walk.over(index.shape(), ShapeRules.with(steps, dim, 0)).struct())
        .over(index.size());
    return out.tensor(type.shape());
  }

  Tensor scatter(Tensor values, int dim, Tensor index, TensorType type) {
    long[] steps = Walk.rows(values.shape());
    long[] limits = ShapeRules.with(values.shape(), dim, type.extent(dim));
    CudaStorage out = operands.allocate(values.dtype(), type.size());
    gpu.launch(computing("scatter", values.dtype()))
        .with(out)
        .with(operands.working(values))
        .with(operands.of(index))
        .with((long) type.size())
        .with((int) values.shape(dim))
        .with((int) steps[dim])
        .with((int) type.extent(dim))
        .with(CudaMoves.inner(type.shape(), dim))
        .with(Walk.apart(type.shape(), ShapeRules.with(steps, dim, 0)).struct())
        .with(Walk.apart(limits).struct())
        .over(type.size());
    return operands.narrow(out, values.dtype(), type.shape());
  }
}
