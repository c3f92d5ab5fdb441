package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.grid.DType;
import java.util.Arrays;
import java.util.Map;

/** Reductions as ONNX's operators. */
final class ReductionFormulas {
  private ReductionFormulas() {}

  static void addTo(Map<String, Formula> all) {
    Map.of(
            "sum", "ReduceSum",
            "mean", "ReduceMean",
            "amax", "ReduceMax",
            "amin", "ReduceMin",
            "prod", "ReduceProd",
            "logsumexp", "ReduceLogSumExp")
        .forEach((name, type) -> all.put(name, to -> reduced(to, type, to.typed(0))));
    all.put("max", to -> extreme(to, "ReduceMax", "ArgMax"));
    all.put("min", to -> extreme(to, "ReduceMin", "ArgMin"));
    all.put("argmax", to -> position(to, "ArgMax"));
    all.put("argmin", to -> position(to, "ArgMin"));
    all.put("var", ReductionFormulas::variance);
    all.put("std", to -> to.node("Sqrt", variance(to)));
    all.put("norm", ReductionFormulas::norm);
    all.put(
        "cumsum",
        to -> {
          int rank = to.inputs().get(0).rank();
          String axis = to.nodes().integers(to.dim("dim", 0, rank));
          return rank == 0
              ? to.node("Identity", to.typed(0))
              : to.node("CumSum", to.typed(0), axis);
        });
    all.put("softmax", to -> normalised(to, "Softmax"));
    all.put("log_softmax", to -> normalised(to, "LogSoftmax"));
  }

  private static String reduced(OperationWriter to, String type, String x) {
    long[] dims = to.inputs().get(0).rank() == 0 ? new long[0] : to.dims();
    Map<String, Integer> keep = Map.of("keepdims", to.keepdim() ? 1 : 0);
    return dims.length == 0
        ? to.node(type, keep, x)
        : to.node(type, keep, x, to.nodes().integers(dims));
  }

  private static String extreme(OperationWriter to, String type, String position) {
    if (to.attributes().has("dim")) {
      to.more().put("indices", position(to, position));
    }
    return reduced(to, type, to.in(0));
  }

  private static String position(OperationWriter to, String type) {
    int rank = to.inputs().get(0).rank();
    String x = to.in(0);
    DType dtype = to.inputs().get(0).dtype();
    x = dtype == DType.BOOL ? to.cast(x, dtype, DType.INT32) : x;
    if (to.attributes().has("dim") && rank > 0) {
      Map<String, Long> settings =
          Map.of("axis", to.dim("dim", 0, rank), "keepdims", to.keepdim() ? 1L : 0L);
      return to.node(type, settings, x);
    }
    String flat = to.node(type, Map.of("axis", 0, "keepdims", 0), to.reshape(x, -1));
    if (!to.keepdim()) {
      return flat;
    }
    long[] ones = new long[rank];
    Arrays.fill(ones, 1);
    return to.reshape(flat, ones);
  }

  private static String variance(OperationWriter to) {
    String x = to.in(0);
    boolean scalar = to.inputs().get(0).rank() == 0;
    long[] dims = scalar ? new long[0] : to.dims();
    String mean = scalar ? x : to.reduceKeeping("ReduceMean", x, dims);
    String distance = to.sub(x, mean);
    String squares = to.mul(distance, distance);
    boolean unbiased = to.attributes().flag(to.operation(), "unbiased", true);
    double correction = to.attributes().number(to.operation(), "correction", unbiased ? 1 : 0);
    if (correction == 0) {
      return reduced(to, "ReduceMean", squares);
    }
    String sum = reduced(to, "ReduceSum", squares);
    return to.div(sum, to.sub(count(to, dims), to.number(correction)));
  }

  /** Returns the number of elements along dimensions, in the type of the result. */
  private static String count(OperationWriter to, long... dims) {
    double count = 1;
    boolean varies = false;
    for (long dim : dims) {
      count *= to.inputs().get(0).shape()[(int) dim];
      varies |= to.inputs().get(0).varies((int) dim);
    }
    if (!varies) {
      return to.number(count);
    }
    String extents =
        to.node("Gather", Map.of("axis", 0), to.node("Shape", to.in(0)), to.nodes().integers(dims));
    String product = to.node("ReduceProd", Map.of("keepdims", 0), extents);
    return to.cast(product, DType.INT64, to.output().dtype());
  }

  private static String norm(OperationWriter to) {
    double p = to.attributes().number(to.operation(), "p", 2);
    if (p == 2) {
      return reduced(to, "ReduceL2", to.in(0));
    }
    String size = to.node("Abs", to.in(0));
    if (p == 1) {
      return reduced(to, "ReduceSum", size);
    }
    if (Double.isInfinite(p)) {
      return reduced(to, p > 0 ? "ReduceMax" : "ReduceMin", size);
    }
    if (p == 0) {
      String zero = to.node("Equal", to.in(0), to.number(0));
      String counted = to.cast(to.node("Not", zero), DType.BOOL, to.output().dtype());
      return reduced(to, "ReduceSum", counted);
    }
    String sum = reduced(to, "ReduceSum", to.node("Pow", size, to.number(p)));
    return to.node("Pow", sum, to.number(1 / p));
  }

  private static String normalised(OperationWriter to, String type) {
    int rank = to.inputs().get(0).rank();
    if (rank == 0) {
      String one = to.reshape(to.typed(0), 1);
      return to.squeeze(to.node(type, Map.of("axis", 0), one), 0);
    }
    return to.node(type, Map.of("axis", to.dim("dim", -1, rank)), to.typed(0));
  }
}
