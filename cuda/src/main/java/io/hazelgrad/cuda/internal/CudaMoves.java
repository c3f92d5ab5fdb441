package io.hazelgrad.cuda.internal;

import static io.hazelgrad.cuda.internal.Operands.moving;

import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Copies of elements to other places. Threads: safe. */
final class CudaMoves {
  private static final int TILE = 32;

  private final Gpu gpu;
  private final Operands operands;

  CudaMoves(Gpu gpu, Operands operands) {
    this.gpu = gpu;
    this.operands = operands;
  }

  Tensor expand(Tensor x, TensorType type) {
    if (x.hasShape(type.shape())) {
      return operands.of(x).tensor(x.shape());
    }
    return copy(x, Walk.repeated(x.shape(), type.rank()), type);
  }

  Tensor permute(Tensor x, TensorType type, int... dims) {
    long[] from = Walk.rows(x.shape());
    long[] steps = Arrays.stream(dims).mapToLong(d -> from[d]).toArray();
    return swapsLastTwo(dims) ? transpose(x, type) : copy(x, steps, type);
  }

  private static boolean swapsLastTwo(int... dims) {
    int last = dims.length - 1;
    boolean swaps = last > 0 && dims[last] == last - 1 && dims[last - 1] == last;
    for (int i = 0; swaps && i < last - 1; i++) {
      swaps = dims[i] == i;
    }
    return swaps;
  }

  private Tensor transpose(Tensor x, TensorType type) {
    int rows = (int) x.shape(-2);
    int columns = (int) x.shape(-1);
    int matrices = type.size() == 0 ? 0 : type.size() / rows / columns;
    CudaStorage out = gpu.allocate(x.dtype(), type.size());
    gpu.launch(moving("transpose", x.dtype()))
        .with(out)
        .with(operands.of(x))
        .with(rows)
        .with(columns)
        .with(matrices)
        .start((long) matrices * tiles(rows) * tiles(columns));
    return out.tensor(type.shape());
  }

  private static int tiles(int extent) {
    return (extent + TILE - 1) / TILE;
  }

  /** Copies the elements that a walk with the given steps meets. */
  private Tensor copy(Tensor x, long[] steps, TensorType type) {
    CudaStorage out = gpu.allocate(x.dtype(), type.size());
    Walk walk = Walk.over(type.shape(), steps, Walk.rows(type.shape()));
    copy(out, 0, operands.of(x), 0, type.size(), walk);
    return out.tensor(type.shape());
  }

  /** Returns the slices start, start + step, .. along a dimension, as many as the result has. */
  Tensor slice(Tensor x, int dim, long start, long step, TensorType type) {
    CudaStorage out = gpu.allocate(x.dtype(), type.size());
    long[] steps = Walk.rows(x.shape());
    long from = start * steps[dim];
    steps[dim] *= step;
    Walk walk = Walk.over(type.shape(), steps, Walk.rows(type.shape()));
    copy(out, 0, operands.of(x), from, type.size(), walk);
    return out.tensor(type.shape());
  }

  private void copy(CudaStorage out, long to, CudaStorage in, long from, int n, Walk walk) {
    gpu.launch(moving("copy", out.dtype()))
        .with(out, to)
        .with(in, from)
        .with((long) n)
        .with(walk.struct())
        .over(n);
  }

  Tensor concat(List<Tensor> parts, int dim, TensorType type) {
    CudaStorage out = gpu.allocate(type.dtype(), type.size());
    long[] steps = Walk.rows(type.shape());
    long at = 0;
    for (Tensor part : parts) {
      Walk walk = Walk.over(part.shape(), Walk.rows(part.shape()), steps);
      copy(out, at * steps[dim], operands.of(part), 0, part.size(), walk);
      at += part.shape(dim);
    }
    return out.tensor(type.shape());
  }

  /** Returns the number of elements from one place along a dimension to the next one. */
  static int inner(long[] shape, int dim) {
    return (int) Tensor.sizeOf(Arrays.copyOfRange(shape, dim + 1, shape.length));
  }
}
