package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Tensor;
import java.util.function.Consumer;

/**
 * Moves elements between two arrays of one type, in runs. The elements of a run lie together in the
 * packed array; they may lie apart in the spread one.
 */
final class Moves {
  private Moves() {}

  /** Takes a run of n elements, which lie {@code step} apart in the spread array. */
  interface Run {
    void at(int packed, int spread, int step, int n);
  }

  /** Copies the runs of x to a packed tensor; what no run names is zero. */
  static <A, C> Tensor pack(Kernels<A, C> kernels, Tensor x, TensorType type, Consumer<Run> runs) {
    A in = kernels.arrayOf(x);
    A out = kernels.allocate(type.size());
    if (x.size() > 0 && type.size() > 0) {
      runs.accept((packed, spread, step, n) -> kernels.gather(in, spread, step, out, packed, n));
    }
    return kernels.tensor(out, type.shape());
  }

  /** Adds the runs of packed values to a spread tensor of zeros. */
  static <A, C> Tensor spread(
      Kernels<A, C> kernels, Tensor values, TensorType type, Consumer<Run> runs) {
    A in = kernels.arrayOf(values);
    A out = kernels.allocate(type.size());
    if (values.size() > 0 && type.size() > 0) {
      runs.accept((packed, spread, step, n) -> kernels.add(in, packed, out, spread, step, n));
    }
    return kernels.tensor(out, type.shape());
  }
}
