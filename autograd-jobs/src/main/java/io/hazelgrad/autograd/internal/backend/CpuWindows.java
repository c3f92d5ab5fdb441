package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Windows over planes, on arrays of one element type. Arguments have been checked. */
final class CpuWindows {
  private CpuWindows() {}

  static <A, C> Tensor lay(
      Kernels<A, C> kernels, Tensor x, Window rows, Window columns, TensorType type) {
    A in = kernels.arrayOf(x);
    A out = kernels.allocate(type.size());
    if (type.size() > 0) {
      forEachRun(
          x.shape(),
          rows,
          columns,
          (inPlane, inWindows, n) ->
              kernels.gather(in, inPlane, (int) columns.stride(), out, inWindows, n));
    }
    return kernels.tensor(out, type.shape());
  }

  static <A, C> Tensor add(
      Kernels<A, C> kernels, Tensor values, Window rows, Window columns, TensorType type) {
    A in = kernels.arrayOf(values);
    A out = kernels.allocate(type.size());
    if (values.size() > 0) {
      forEachRun(
          type.shape(),
          rows,
          columns,
          (inPlane, inWindows, n) ->
              kernels.add(in, inWindows, out, inPlane, (int) columns.stride(), n));
    }
    return kernels.tensor(out, type.shape());
  }

  /** Takes n elements of a plane, {@code columns.stride} apart, which lie together in windows. */
  private interface Run {
    void at(int inPlane, int inWindows, int n);
  }

  /** Visits the elements of all windows that lie within the planes. */
  private static void forEachRun(long[] shape, Window rows, Window columns, Run run) {
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
            run.at(at + column, next + row * (int) columns.count() + first, n);
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
