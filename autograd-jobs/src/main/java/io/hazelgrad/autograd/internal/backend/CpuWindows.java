package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Finds the elements of windows of planes. Callers check the arguments. */
final class CpuWindows {
  private CpuWindows() {}

  /** Visits the elements of all windows that lie within the planes. */
  static void forEachElement(long[] shape, Window rows, Window columns, Moves.Run run) {
    int width = (int) shape[2];
    int windows = (int) (rows.count() * columns.count());
    int next = 0;
    for (int plane = 0; plane < shape[0]; plane++) {
      int planeAt = plane * (int) (shape[1] * shape[2]);
      for (long i = 0; i < rows.kernel(); i++) {
        int endRow = rows.end(i, shape[1]);
        for (long j = 0; j < columns.kernel(); j++) {
          int first = columns.first(j);
          int n = columns.end(j, width) - first;
          for (int row = rows.first(i); n > 0 && row < endRow; row++) {
            int at = planeAt + (int) rows.position(row, i) * width;
            int column = (int) columns.position(first, j);
            int packed = next + row * (int) columns.count() + first;
            run.at(packed, at + column, (int) columns.stride(), n);
          }
          next += windows;
        }
      }
    }
  }

  static <A, C> Tensor indexOfMax(
      Kernels<A, C> kernels, Tensor x, Window rows, Window columns, TensorType type) {
    A in = kernels.arrayOf(x);
    long[] index = new long[type.size()];
    Arrays.fill(index, -1);
    int width = (int) x.shape(2);
    int plane = (int) (x.shape(1) * width);
    int next = 0;
    for (int at = 0; next < index.length; at += plane) {
      for (int row = 0; row < rows.count(); row++) {
        for (int column = 0; column < columns.count(); column++) {
          index[next++] = indexOfMax(kernels, in, at, x.shape(), rows, row, columns, column);
        }
      }
    }
    return Tensor.wrap(index, type.shape());
  }

  private static <A, C> long indexOfMax(
      Kernels<A, C> kernels,
      A in,
      int plane,
      long[] shape,
      Window rows,
      int row,
      Window columns,
      int column) {
    int best = -1;
    for (long i = 0; i < rows.kernel(); i++) {
      long r = rows.position(row, i);
      if (r < 0 || r >= shape[1]) {
        continue;
      }
      for (long j = 0; j < columns.kernel(); j++) {
        long c = columns.position(column, j);
        if (c < 0 || c >= shape[2]) {
          continue;
        }
        int at = plane + (int) (r * shape[2] + c);
        if (best < 0 || kernels.precedes(Reduction.MAX, in, at, best)) {
          best = at;
        }
      }
    }
    return best < 0 ? -1 : best - plane;
  }
}
