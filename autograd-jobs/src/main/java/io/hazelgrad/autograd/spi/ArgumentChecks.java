package io.hazelgrad.autograd.spi;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The checks of arguments that all backends make before they read and write elements. Methods that
 * are named as those of {@link Backend} return the type of the result.
 */
public final class ArgumentChecks {
  private ArgumentChecks() {}

  /** Checks that both have one element type. */
  private static void sameType(String operation, Tensor a, Tensor b) {
    if (a.dtype() != b.dtype()) {
      throw OperationErrors.bad(operation, "a is " + a.dtype() + ", b is " + b.dtype());
    }
  }

  /** Checks dimensions, each of which may occur once. */
  public static void dims(String operation, Tensor x, int... dims) {
    boolean[] seen = new boolean[x.rank()];
    for (int dim : dims) {
      if (dim < 0 || dim >= x.rank() || seen[dim]) {
        throw OperationErrors.bad(
            operation,
            "dims=" + Arrays.toString(dims) + " for shape=" + Arrays.toString(x.shape()));
      }
      seen[dim] = true;
    }
  }

  private static void shape(String operation, Tensor x, long... shape) {
    if (!x.hasShape(shape)) {
      throw OperationErrors.bad(
          operation,
          "shape=" + Arrays.toString(x.shape()) + " should be " + Arrays.toString(shape));
    }
  }

  /** Checks that in all dimensions but one an index is no larger than what it points into. */
  private static void within(String operation, Tensor index, long[] shape, int dim) {
    boolean within = index.rank() == shape.length;
    for (int i = 0; within && i < shape.length; i++) {
      within = i == dim || index.shape(i) <= shape[i];
    }
    if (!within) {
      throw OperationErrors.bad(
          operation,
          "index " + TensorType.of(index) + " is not within shape=" + Arrays.toString(shape));
    }
  }

  /** Checks the type and the shape of an index, and that its elements are below the extent. */
  private static void index(String operation, Tensor index, long extent, long... shape) {
    if (index.dtype() != DType.INT64 || !index.hasShape(shape)) {
      throw OperationErrors.bad(
          operation, "index is " + TensorType.of(index) + ", not INT64 " + Arrays.toString(shape));
    }
    for (int i = 0; i < index.size(); i++) {
      if (index.storage().getLong(i) >= extent) {
        throw OperationErrors.bad(
            operation,
            "index " + index.storage().getLong(i) + " at position " + i + " of extent " + extent);
      }
    }
  }

  private static String shapes(Tensor a, Tensor b) {
    return "a.shape=" + Arrays.toString(a.shape()) + " b.shape=" + Arrays.toString(b.shape());
  }

  public static TensorType binary(Backend.Binary function, Tensor a, Tensor b) {
    sameType(function.name(), a, b);
    return new TensorType(
        function.name(), a.dtype(), ShapeRules.broadcast(function.name(), a.shape(), b.shape()));
  }

  public static TensorType select(Tensor condition, Tensor a, Tensor b) {
    sameType("select", a, b);
    sameType("select", condition, a);
    long[] shape = ShapeRules.broadcast("select", a.shape(), b.shape());
    return new TensorType(
        "select", a.dtype(), ShapeRules.broadcast("select", condition.shape(), shape));
  }

  public static TensorType indexOf(Backend.Reduction reduction, Tensor x, int dim) {
    dims("indexOf", x, dim);
    boolean orders = reduction == Backend.Reduction.MAX || reduction == Backend.Reduction.MIN;
    if (x.shape(dim) == 0 || !orders) {
      throw OperationErrors.bad("indexOf", reduction + " of shape=" + Arrays.toString(x.shape()));
    }
    return new TensorType("indexOf", DType.INT64, ShapeRules.keeping(x.shape(), dim));
  }

  public static TensorType expand(Tensor x, long... shape) {
    TensorType type = new TensorType("expand", x.dtype(), shape);
    if (!Arrays.equals(ShapeRules.broadcast("expand", x.shape(), shape), shape)) {
      throw OperationErrors.bad(
          "expand",
          "shape=" + Arrays.toString(x.shape()) + " does not fit into " + Arrays.toString(shape));
    }
    return type;
  }

  public static TensorType permute(Tensor x, int... dims) {
    dims("permute", x, dims);
    if (dims.length != x.rank()) {
      throw OperationErrors.bad(
          "permute", "dims=" + Arrays.toString(dims) + " for shape=" + Arrays.toString(x.shape()));
    }
    return new TensorType("permute", x.dtype(), Arrays.stream(dims).mapToLong(x::shape).toArray());
  }

  public static TensorType matmul(Tensor a, boolean transposeA, Tensor b, boolean transposeB) {
    sameType("matmul", a, b);
    if (a.rank() < 2 || b.rank() < 2) {
      throw OperationErrors.bad("matmul", "takes matrices: " + shapes(a, b));
    }
    long[] batchA = Arrays.copyOf(a.shape(), a.rank() - 2);
    long[] batchB = Arrays.copyOf(b.shape(), b.rank() - 2);
    long[] batch = ShapeRules.broadcast("matmul", batchA, batchB);
    if (a.shape(transposeA ? -2 : -1) != b.shape(transposeB ? -1 : -2)) {
      throw OperationErrors.bad("matmul", "inner dimensions differ: " + shapes(a, b));
    }
    long m = a.shape(transposeA ? -1 : -2);
    long n = b.shape(transposeB ? -2 : -1);
    return new TensorType("matmul", a.dtype(), ShapeRules.matrices(batch, m, n));
  }

  /** Checks {@code [rows, in]}, {@code [out, in]} and {@code [out]}. */
  public static TensorType linear(Tensor x, Tensor weight, Tensor bias) {
    TensorType type = matmul(x, false, weight, true);
    sameType("linear", x, bias);
    if (x.rank() != 2 || weight.rank() != 2 || !bias.hasShape(weight.shape(0))) {
      throw OperationErrors.bad(
          "linear",
          "takes [rows, in], [out, in] and [out]: "
              + shapes(x, weight)
              + " and "
              + Arrays.toString(bias.shape()));
    }
    return type;
  }

  /** Checks {@code [N, L, E]} and {@code [N, S, E]}. */
  public static TensorType headScores(Tensor a, Tensor b, long heads) {
    sameType("headScores", a, b);
    if (a.rank() != 3
        || b.rank() != 3
        || a.shape(0) != b.shape(0)
        || a.shape(2) != b.shape(2)
        || heads < 1
        || a.shape(2) % heads != 0) {
      throw OperationErrors.bad(
          "headScores",
          "takes [N, L, E] and [N, S, E], E divided by heads=" + heads + ": " + shapes(a, b));
    }
    return new TensorType("headScores", a.dtype(), a.shape(0), heads, a.shape(1), b.shape(1));
  }

  /** Checks {@code [N, heads, L, S]}, or its transpose, and {@code [N, S, E]}. */
  public static TensorType headValues(Tensor weights, boolean transpose, Tensor b) {
    sameType("headValues", weights, b);
    if (weights.rank() != 4
        || b.rank() != 3
        || weights.shape(0) != b.shape(0)
        || weights.shape(transpose ? 2 : 3) != b.shape(1)
        || weights.shape(1) < 1
        || b.shape(2) % weights.shape(1) != 0) {
      throw OperationErrors.bad(
          "headValues",
          "takes [N, heads, L, S] and [N, S, E], E divided by heads: " + shapes(weights, b));
    }
    long rows = weights.shape(transpose ? 3 : 2);
    return new TensorType("headValues", b.dtype(), b.shape(0), rows, b.shape(2));
  }

  public static TensorType concat(List<Tensor> parts, int dim) {
    Tensor first = parts.get(0);
    dims("concat", first, dim);
    long extent = 0;
    for (Tensor part : parts) {
      sameType("concat", first, part);
      long slices = dim < part.rank() ? part.shape(dim) : 0;
      shape("concat", part, ShapeRules.with(first.shape(), dim, slices));
      extent += slices;
    }
    return new TensorType("concat", first.dtype(), ShapeRules.with(first.shape(), dim, extent));
  }

  public static TensorType take(Tensor x, int dim, Tensor index) {
    dims("take", x, dim);
    index("take", index, x.shape(dim), index.size());
    return new TensorType("take", x.dtype(), ShapeRules.with(x.shape(), dim, index.size()));
  }

  public static TensorType put(Tensor values, int dim, Tensor index, long extent) {
    dims("put", values, dim);
    index("put", index, extent, values.shape(dim));
    return new TensorType("put", values.dtype(), ShapeRules.with(values.shape(), dim, extent));
  }

  public static TensorType gather(Tensor x, int dim, Tensor index) {
    dims("gather", x, dim);
    within("gather", index, x.shape(), dim);
    index("gather", index, x.shape(dim), index.shape());
    return new TensorType("gather", x.dtype(), index.shape());
  }

  public static TensorType scatter(Tensor values, int dim, Tensor index, long... shape) {
    dims("scatter", values, dim);
    TensorType type = new TensorType("scatter", values.dtype(), shape);
    within("scatter", index, shape, dim);
    index("scatter", index, shape[dim], values.shape());
    return type;
  }

  public static TensorType addWindows(Tensor values, Window rows, Window columns, long... shape) {
    TensorType type = new TensorType("addWindows", values.dtype(), shape);
    shape(
        "addWindows", values, windows("addWindows", values.dtype(), shape, rows, columns).shape());
    return type;
  }

  public static TensorType indexOfMax(Tensor x, Window rows, Window columns) {
    TensorType windows = windows("indexOfMax", x.dtype(), x.shape(), rows, columns);
    return new TensorType("indexOfMax", DType.INT64, windows.extent(0), windows.extent(2));
  }

  public static TensorType windows(Tensor x, Window rows, Window columns) {
    return windows("windows", x.dtype(), x.shape(), rows, columns);
  }

  /** Checks windows, and returns the type of their elements in a row for each place of a window. */
  private static TensorType windows(
      String operation, DType dtype, long[] shape, Window rows, Window columns) {
    for (Window window : List.of(rows, columns)) {
      if (window.kernel() < 1
          || window.stride() < 1
          || window.padding() < 0
          || window.dilation() < 1
          || window.count() < 0
          || Math.max(window.kernel(), window.count()) > Integer.MAX_VALUE) {
        throw OperationErrors.bad(operation, window.toString());
      }
    }
    if (shape.length != 3) {
      throw OperationErrors.bad(operation, "takes planes: shape=" + Arrays.toString(shape));
    }
    return new TensorType(
        operation,
        dtype,
        shape[0],
        rows.kernel() * columns.kernel(),
        rows.count() * columns.count());
  }
}
