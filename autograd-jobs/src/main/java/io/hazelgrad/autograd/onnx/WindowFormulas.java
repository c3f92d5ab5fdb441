package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;

/** Convolutions and pooling as ONNX's operators. */
final class WindowFormulas {
  private WindowFormulas() {}

  static void addTo(Map<String, Formula> all) {
    all.put("conv1d", to -> convolution(to, 1));
    all.put("conv2d", to -> convolution(to, 2));
    all.put("max_pool2d", WindowFormulas::maxPool);
    all.put("avg_pool2d", WindowFormulas::averagePool);
  }

  private static String convolution(OperationWriter to, int dims) {
    long[] padding = to.each("padding", dims, 0);
    Map<String, Object> settings =
        Map.of(
            "strides", to.each("stride", dims, 1),
            "dilations", to.each("dilation", dims, 1),
            "pads", LongStream.concat(Arrays.stream(padding), Arrays.stream(padding)).toArray(),
            "group", to.attributes().integer(to.operation(), "groups", 1));
    boolean single = to.inputs().get(0).rank() == dims + 1;
    String x = single ? to.unsqueeze(to.in(0), 0) : to.in(0);
    String y =
        to.has(2)
            ? to.node("Conv", settings, x, to.in(1), to.in(2))
            : to.node("Conv", settings, x, to.in(1));
    return single ? to.squeeze(y, 0) : y;
  }

  /** The windows along one dimension, with the padding at its end that the last one needs. */
  private record Line(long kernel, long stride, long padding, long dilation, long count, long end) {
    static Line of(OperationWriter to, int index, long dilation) {
      TracedValue x = to.inputs().get(0);
      long kernel = to.each("kernel", 2, 1)[index];
      long stride = to.each("stride", 2, kernel)[index];
      long padding = to.each("padding", 2, 0)[index];
      int dim = x.rank() - 2 + index;
      long count = to.output().shape()[dim];
      long reach = (count - 1) * stride + (kernel - 1) * dilation + 1;
      long extent =
          to.attributes().flag(to.operation(), "ceil_mode", false) ? to.fixed(0, dim) : -1;
      // Without ceil_mode no window exceeds the padding.
      long end = extent < 0 ? padding : Math.max(padding, reach - extent - padding);
      return new Line(kernel, stride, padding, dilation, count, end);
    }

    /** Returns the divisor of each window: its elements, those of the padding if they count. */
    double[] divisors(long extent, boolean counted) {
      long around = counted ? padding : 0;
      double[] divisors = new double[(int) count];
      for (int i = 0; i < divisors.length; i++) {
        long start = i * stride - padding;
        long first = Math.max(start, -around);
        divisors[i] = Math.max(0, Math.min(extent + around, start + kernel) - first);
      }
      return divisors;
    }
  }

  private static String maxPool(OperationWriter to) {
    long[] dilation = to.each("dilation", 2, 1);
    Line rows = Line.of(to, 0, dilation[0]);
    Line columns = Line.of(to, 1, dilation[1]);
    return pooled(to, "MaxPool", rows, columns, Double.NEGATIVE_INFINITY, dilation);
  }

  /** Writes a pooling without padding of a padded input; the padding is written as a node. */
  private static String pooled(
      OperationWriter to, String type, Line rows, Line columns, double value, long... dilation) {
    int rank = to.inputs().get(0).rank();
    String x = rank == 3 ? to.unsqueeze(to.in(0), 0) : to.in(0);
    long[] pads = {0, 0, rows.padding, columns.padding, 0, 0, rows.end, columns.end};
    if (Arrays.stream(pads).anyMatch(each -> each != 0)) {
      x = to.node("Pad", x, to.nodes().integers(pads), to.number(value));
    }
    Map<String, Object> settings = new HashMap<>();
    settings.put("kernel_shape", new long[] {rows.kernel, columns.kernel});
    settings.put("strides", new long[] {rows.stride, columns.stride});
    if (dilation.length > 0) {
      settings.put("dilations", dilation);
    }
    String y = to.node(type, settings, x);
    return rank == 3 ? to.squeeze(y, 0) : y;
  }

  private static String averagePool(OperationWriter to) {
    Line rows = Line.of(to, 0, 1);
    Line columns = Line.of(to, 1, 1);
    String means = pooled(to, "AveragePool", rows, columns, 0);
    double area = (double) rows.kernel * columns.kernel;
    if (to.attributes().has("divisor_override")) {
      double divisor = to.attributes().number(to.operation(), "divisor_override", 1);
      return to.times(means, area / divisor);
    }
    boolean counted = to.attributes().flag(to.operation(), "count_include_pad", true);
    boolean even =
        rows.end == rows.padding
            && columns.end == columns.padding
            && (counted || rows.padding + columns.padding == 0);
    if (even) {
      return means; // Each window has a whole kernel.
    }
    int rank = to.inputs().get(0).rank();
    double[] ofRows = rows.divisors(to.fixed(0, rank - 2), counted);
    double[] ofColumns = columns.divisors(to.fixed(0, rank - 1), counted);
    double[] factors = new double[ofRows.length * ofColumns.length];
    Arrays.setAll(
        factors, i -> area / (ofRows[i / ofColumns.length] * ofColumns[i % ofColumns.length]));
    Tensor factor = Tensor.wrap(factors, ofRows.length, ofColumns.length).to(to.output().dtype());
    return to.mul(means, to.constant(factor));
  }
}
