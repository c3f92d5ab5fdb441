package io.hazelgrad.autograd.spi;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Rules on shapes and dimensions that several operations share. */
public final class ShapeRules {
  private ShapeRules() {}

  /** Returns the shape that both broadcast to. */
  public static long[] broadcast(String operation, long[] a, long[] b) {
    long[] out = new long[Math.max(a.length, b.length)];
    for (int i = 1; i <= out.length; i++) {
      long left = i <= a.length ? a[a.length - i] : 1;
      long right = i <= b.length ? b[b.length - i] : 1;
      if (left != right && left != 1 && right != 1) {
        throw OperationErrors.bad(
            operation,
            "shapes do not broadcast: a.shape=%s b.shape=%s"
                .formatted(Arrays.toString(a), Arrays.toString(b)));
      }
      out[out.length - i] = left == 1 ? right : left;
    }
    return out;
  }

  /** Checks a dimension, counts a negative one from the end. A scalar has a dimension 0 here. */
  public static int dim(String operation, String name, long dim, long[] shape) {
    int rank = Math.max(1, shape.length);
    if (dim < -rank || dim >= rank) {
      throw OperationErrors.bad(
          operation,
          "%s=%s is not within [%s, %s] of shape=%s"
              .formatted(name, dim, -rank, rank - 1, Arrays.toString(shape)));
    }
    return (int) (dim < 0 ? dim + rank : dim);
  }

  /** Returns the shape with extent 1 in the given dimensions. */
  public static long[] keeping(long[] shape, int... dims) {
    long[] out = shape.clone();
    for (int dim : dims) {
      out[dim] = 1;
    }
    return out;
  }

  /** Returns the shape with another extent in one dimension. */
  public static long[] with(long[] shape, int dim, long extent) {
    long[] out = shape.clone();
    out[dim] = extent;
    return out;
  }

  /** Returns the shape with a new dimension of extent 1 before dimension {@code at}. */
  public static long[] withOne(long[] shape, int at) {
    long[] out = new long[shape.length + 1];
    Arrays.setAll(out, i -> i == at ? 1 : shape[i < at ? i : i - 1]);
    return out;
  }

  /** Returns the shape without the given dimensions. */
  public static long[] without(long[] shape, int... dims) {
    boolean[] gone = new boolean[shape.length];
    for (int dim : dims) {
      gone[dim] = true;
    }
    long[] out = new long[shape.length - dims.length];
    int next = 0;
    for (int i = 0; i < shape.length; i++) {
      if (!gone[i]) {
        out[next++] = shape[i];
      }
    }
    return out;
  }

  /** Returns the shape of a stack of matrices. */
  public static long[] matrices(long[] batch, long rows, long columns) {
    long[] shape = Arrays.copyOf(batch, batch.length + 2);
    shape[batch.length] = rows;
    shape[batch.length + 1] = columns;
    return shape;
  }

  /** Joins all dimensions but the last. */
  public static Tensor asMatrix(Tensor x) {
    return x.reshape(Tensor.sizeOf(Arrays.copyOf(x.shape(), x.rank() - 1)), x.shape(-1));
  }

  /** Returns 0, 1, .., rank - 1. */
  public static int[] allDims(int rank) {
    int[] dims = new int[rank];
    Arrays.setAll(dims, i -> i);
    return dims;
  }

  /** Sums a gradient back to the shape that was broadcast. */
  public static Tensor sumTo(Backend backend, Tensor gradient, long[] shape) {
    if (gradient.hasShape(shape)) {
      return gradient;
    }
    int extra = gradient.rank() - shape.length;
    int[] dims =
        Arrays.stream(allDims(gradient.rank()))
            .filter(d -> d < extra || (shape[d - extra] == 1 && gradient.shape(d) != 1))
            .toArray();
    return backend.reduce(Backend.Reduction.SUM, gradient, dims).reshape(shape);
  }
}
