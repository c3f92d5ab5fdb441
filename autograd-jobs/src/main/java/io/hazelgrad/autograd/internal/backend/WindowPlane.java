package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Windows over the last one or two dimensions of a tensor; one counts as a single row. */
public record WindowPlane(int rank, long height, long width, Window rows, Window columns) {
  /**
   * Reads the attributes stride, {@code usual} if it is absent, padding and dilation: an integer,
   * or one for each dimension.
   */
  public static WindowPlane of(
      String operation, long[] shape, long[] kernel, long[] usual, Attributes attributes) {
    long[] stride = each(operation, "stride", usual, 1, attributes);
    long[] padding = each(operation, "padding", new long[kernel.length], 0, attributes);
    long[] dilation = each(operation, "dilation", ones(kernel.length), 1, attributes);
    boolean ceil = attributes.flag(operation, "ceil_mode", false);
    Window[] windows = new Window[kernel.length];
    for (int i = 0; i < windows.length; i++) {
      long span = dilation[i] * (kernel[i] - 1) + 1;
      long room = shape[i] + 2 * padding[i] - span;
      if (room < 0) {
        throw OperationErrors.bad(
            operation,
            "a window of %s does not fit into %s with padding=%s on both sides: a.shape=[.., %s"
                .formatted(span, shape[i], padding[i], Arrays.toString(shape).substring(1)));
      }
      long count = room / stride[i] + 1;
      // Another window if it begins before the padding on the right.
      if (ceil && room % stride[i] != 0 && count * stride[i] < shape[i] + padding[i]) {
        count++;
      }
      windows[i] = new Window(kernel[i], stride[i], padding[i], dilation[i], count);
    }
    return windows.length == 1
        ? new WindowPlane(1, 1, shape[0], Window.POINT, windows[0])
        : new WindowPlane(2, shape[0], shape[1], windows[0], windows[1]);
  }

  /** Reads an integer, which counts for every dimension, or one for each. */
  public static long[] each(
      String operation, String name, long[] usual, long least, Attributes attributes) {
    long[] given = attributes.integers(operation, name);
    if (given == null || given.length == 0) {
      return usual;
    }
    long[] out = usual.clone();
    Arrays.setAll(out, i -> given[Math.min(i, given.length - 1)]);
    boolean fits = given.length == 1 || given.length == out.length;
    for (long value : given) {
      fits &= value >= least && value <= Integer.MAX_VALUE;
    }
    if (!fits) {
      throw OperationErrors.bad(
          operation,
          "%s=%s must be 1 or %s of %s to %s"
              .formatted(name, Arrays.toString(given), out.length, least, Integer.MAX_VALUE));
    }
    return out;
  }

  /** Returns {@code count} ones. */
  public static long[] ones(int count) {
    long[] ones = new long[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** Returns the shape of one value per window, with these dimensions in front. */
  public long[] windows(long... front) {
    long[] out = Arrays.copyOf(front, front.length + rank);
    if (rank == 2) {
      out[front.length] = rows.count();
    }
    out[out.length - 1] = columns.count();
    return out;
  }

  /** Joins all dimensions in front of the plane's. */
  public Tensor planes(Tensor x) {
    long planes = Tensor.sizeOf(Arrays.copyOf(x.shape(), x.rank() - rank));
    return x.reshape(planes, height, width);
  }
}
