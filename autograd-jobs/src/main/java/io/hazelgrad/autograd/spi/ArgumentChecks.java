package io.hazelgrad.autograd.spi;

import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** The checks of arguments that all backends make before they read and write elements. */
public final class ArgumentChecks {
  private ArgumentChecks() {}

  /** Checks that both have one element type. */
  public static void sameType(String operation, Tensor a, Tensor b) {
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

  /** Checks a shape. */
  public static void shape(String operation, Tensor x, long... shape) {
    if (!x.hasShape(shape)) {
      throw OperationErrors.bad(
          operation,
          "shape=" + Arrays.toString(x.shape()) + " should be " + Arrays.toString(shape));
    }
  }

  /** Checks that in all dimensions but one an index is no larger than what it points into. */
  public static void within(String operation, Tensor index, long[] shape, int dim) {
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
  public static void index(String operation, Tensor index, long extent, long... shape) {
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

  /** Returns both shapes, for an error. */
  public static String shapes(Tensor a, Tensor b) {
    return "a.shape=" + Arrays.toString(a.shape()) + " b.shape=" + Arrays.toString(b.shape());
  }

  /** Checks windows, and returns the type of their elements in a row for each place of a window. */
  public static TensorType windows(
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
