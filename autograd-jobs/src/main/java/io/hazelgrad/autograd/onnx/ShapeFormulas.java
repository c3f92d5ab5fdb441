package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.autograd.ops.Attributes;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Operations that move or choose elements, and products of matrices, as ONNX's operators. */
final class ShapeFormulas {
  private ShapeFormulas() {}

  static void addTo(Map<String, Formula> all) {
    all.put("matmul", to -> to.node("MatMul", to.typed(0), to.typed(1)));
    all.put("dot", to -> to.node("MatMul", to.typed(0), to.typed(1)));
    all.put("linear", ShapeFormulas::linear);
    all.put("reshape", ShapeFormulas::reshape);
    all.put(
        "expand",
        to ->
            to.node(
                "Expand", to.in(0), to.batch().shape(to.output().shape(), to.output().other())));
    all.put("transpose", ShapeFormulas::transpose);
    all.put(
        "permute",
        to -> {
          int rank = to.output().rank();
          long[] order = Objects.requireNonNull(to.attributes().integers("permute", "dims"));
          Arrays.setAll(order, i -> order[i] < 0 ? order[i] + rank : order[i]);
          return to.transpose(to.in(0), order);
        });
    all.put("squeeze", ShapeFormulas::squeeze);
    all.put("unsqueeze", to -> to.unsqueeze(to.in(0), to.dim("dim", 0, to.output().rank())));
    all.put(
        "concat",
        to -> {
          long axis = to.dim("dim", 0, to.output().rank());
          return to.concat(axis, parts(to));
        });
    all.put("stack", ShapeFormulas::stack);
    all.put("pad", ShapeFormulas::pad);
    all.put("slice", ShapeFormulas::slice);
    all.put("index_select", to -> indexed(to, "Gather"));
    all.put("gather", to -> indexed(to, "GatherElements"));
    all.put("embedding", to -> to.node("Gather", Map.of("axis", 0), to.in(1), to.in(0)));
  }

  /** Writes x w^T + b for x of any rank. */
  static String linear(OperationWriter to, String x, String weight, String bias) {
    String product = to.node("MatMul", x, to.transpose(weight, 1, 0));
    return bias.isEmpty() ? product : to.add(product, bias);
  }

  private static String linear(OperationWriter to) {
    String bias = to.has(2) ? to.typed(2) : "";
    if (to.inputs().get(0).rank() == 2 && to.has(2)) {
      return to.node("Gemm", Map.of("transB", 1), to.typed(0), to.typed(1), bias);
    }
    return linear(to, to.typed(0), to.typed(1), bias);
  }

  private static String reshape(OperationWriter to) {
    long[] shape = to.output().shape();
    int varying = 0;
    for (int i = 0; i < shape.length; i++) {
      if (to.output().varies(i)) {
        shape[i] = -1;
        varying++;
      }
    }
    boolean empty = Arrays.stream(shape).anyMatch(extent -> extent == 0);
    if (varying < 2 && !(empty && varying > 0)) {
      return to.node(
          "Reshape", Map.of("allowzero", empty ? 1 : 0), to.in(0), to.nodes().integers(shape));
    }
    String target = to.batch().shape(to.output().shape(), to.output().other());
    return to.node("Reshape", Map.of("allowzero", 1), to.in(0), target);
  }

  private static String transpose(OperationWriter to) {
    int rank = to.output().rank();
    if (rank == 0) {
      return to.node("Identity", to.in(0));
    }
    long[] order = LongStream.range(0, rank).toArray();
    int a = (int) to.dim("dim0", 0, rank);
    int b = (int) to.dim("dim1", 0, rank);
    order[a] = b;
    order[b] = a;
    return to.transpose(to.in(0), order);
  }

  private static String squeeze(OperationWriter to) {
    TracedValue x = to.inputs().get(0);
    long[] given = to.attributes().integers("squeeze", "dim");
    long[] dims = x.rank() == 0 ? new long[0] : to.dims();
    if (given != null && given.length == 0) {
      dims = new long[0];
    }
    long[] dropped =
        Arrays.stream(dims).filter(d -> x.shape()[(int) d] == 1 && !x.varies((int) d)).toArray();
    return dropped.length == 0 ? to.node("Identity", x.name()) : to.squeeze(x.name(), dropped);
  }

  private static String[] parts(OperationWriter to) {
    return IntStream.range(0, to.inputs().size()).mapToObj(to::typed).toArray(String[]::new);
  }

  private static String stack(OperationWriter to) {
    long axis = to.dim("dim", 0, to.output().rank());
    String[] parts = parts(to);
    Arrays.setAll(parts, i -> to.unsqueeze(parts[i], axis));
    return to.concat(axis, parts);
  }

  private static String indexed(OperationWriter to, String type) {
    int rank = to.inputs().get(0).rank();
    if (rank == 0) {
      return to.node("Identity", to.in(0));
    }
    long axis = to.dim("dim", 0, rank);
    String index = to.in(1);
    if (to.inputs().get(1).rank() == 0) {
      index = to.reshape(index, 1);
      String one = to.node(type, Map.of("axis", axis), to.in(0), index);
      return type.equals("Gather") ? one : to.squeeze(one, 0);
    }
    return to.node(type, Map.of("axis", axis), to.in(0), index);
  }

  private static String pad(OperationWriter to) {
    long[] given = Objects.requireNonNull(to.attributes().integers("pad", "pad"));
    int rank = to.output().rank();
    long[] pads = new long[2 * rank];
    for (int i = 0; i < given.length; i += 2) {
      int dim = rank - 1 - i / 2;
      pads[dim] = given[i];
      pads[rank + dim] = given[i + 1];
    }
    String mode = to.attributes().text("pad", "mode", "constant");
    if (Arrays.stream(pads).allMatch(each -> each == 0)) {
      return to.node("Identity", to.in(0));
    }
    if (mode.equals("constant")) {
      String value = to.number(to.attributes().number("pad", "value", 0));
      return to.node("Pad", to.in(0), to.nodes().integers(pads), value);
    }
    String x = to.in(0);
    for (int dim = 0; dim < rank; dim++) {
      if (pads[dim] != 0 || pads[rank + dim] != 0) {
        x = taken(to, x, dim, pads[dim], pads[rank + dim], mode);
      }
    }
    return x;
  }

  /** Writes the padding of one dimension with elements of the tensor as a choice of elements. */
  private static String taken(
      OperationWriter to, String x, int dim, long before, long after, String mode) {
    long extent = to.fixed(0, dim);
    long[] sources =
        LongStream.range(-before, extent + after)
            .map(
                at ->
                    switch (mode) {
                      case "reflect" -> at < 0 ? -at : at >= extent ? 2 * (extent - 1) - at : at;
                      case "replicate" -> Math.max(0, Math.min(extent - 1, at));
                      default -> Math.floorMod(at, extent);
                    })
            .toArray();
    return to.node("Gather", Map.of("axis", dim), x, to.nodes().integers(sources));
  }

  private static String slice(OperationWriter to) {
    TracedValue x = to.inputs().get(0);
    int dim = (int) to.dim("dim", 0, x.rank());
    long extent = x.shape()[dim];
    long otherExtent = x.other()[dim];
    long start = bound(to.attributes(), "start", 0, extent);
    long end = Math.max(start, bound(to.attributes(), "end", extent, extent));
    long otherStart = bound(to.others(), "start", 0, otherExtent);
    long otherEnd = Math.max(otherStart, bound(to.others(), "end", otherExtent, otherExtent));
    String part = dim == 0 && end == start + 1 ? to.nodes().part(x.name(), start) : null;
    if (part != null) {
      return part;
    }
    return to.node(
        "Slice",
        x.name(),
        written(to, start, otherStart, extent, otherExtent),
        written(to, end, otherEnd, extent, otherExtent),
        to.nodes().integers(dim),
        to.nodes().integers(to.attributes().integer("slice", "step", 1)));
  }

  private static long bound(Attributes attributes, String name, long usual, long extent) {
    long bound = attributes.integer("slice", name, usual);
    return Math.max(0, Math.min(extent, bound < 0 ? bound + extent : bound));
  }

  /** Writes a bound: from the start, from the end, or as a function of the batch. */
  private static String written(
      OperationWriter to, long bound, long other, long extent, long otherExtent) {
    if (extent == otherExtent && bound == other) {
      return to.nodes().integers(bound);
    }
    if (extent - bound == otherExtent - other) {
      return to.nodes().integers(bound == extent ? Long.MAX_VALUE : bound - extent);
    }
    return to.batch().shape(new long[] {bound}, new long[] {other});
  }
}
