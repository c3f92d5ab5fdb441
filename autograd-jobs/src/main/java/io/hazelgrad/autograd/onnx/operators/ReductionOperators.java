package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel.Operator;
import io.hazelgrad.autograd.ops.Attributes;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;

/** Reductions of ONNX, and softmax. */
final class ReductionOperators {
  /** From this version on, softmax works on one dimension. */
  private static final int ONE_DIM_SOFTMAX = 13;

  private ReductionOperators() {}

  static void addTo(Map<String, Operator> all) {
    Map.of(
            "ReduceSum", "sum",
            "ReduceMean", "mean",
            "ReduceMax", "amax",
            "ReduceMin", "amin",
            "ReduceProd", "prod",
            "ReduceLogSumExp", "logsumexp")
        .forEach((type, name) -> all.put(type, reduction(name, Map.of())));
    all.put("ReduceL1", reduction("norm", Map.of("p", 1)));
    all.put("ReduceL2", reduction("norm", Map.of("p", 2)));
    all.put("ArgMax", position("argmax"));
    all.put("ArgMin", position("argmin"));
    all.put("CumSum", Operator.of(2, ReductionOperators::cumulative));
    all.put("Softmax", softmax("softmax"));
    all.put("LogSoftmax", softmax("log_softmax"));
  }

  private static Operator reduction(String operation, Map<String, Object> more) {
    return Operator.of(
        1,
        2,
        node -> {
          boolean keep = node.flag("keepdims", true);
          boolean none = node.flag("noop_with_empty_axes", false);
          return x -> {
            Variable input = node.required(0, x);
            int rank = input.value().rank();
            long[] axes = node.integers("axes", 1, x);
            if (axes == null || axes.length == 0) {
              if (none) {
                return input;
              }
              axes = LongStream.range(0, rank).toArray();
            }
            Map<String, Object> attributes = new HashMap<>(more);
            attributes.put("dim", node.dims(axes, rank));
            attributes.put("keepdim", keep);
            Variable result = Variable.apply(operation, Attributes.of(attributes), input);
            return Ops.like(input, result);
          };
        });
  }

  private static Operator position(String operation) {
    return Operator.of(
        1,
        node -> {
          if (node.flag("select_last_index", false)) {
            throw node.unsupported("with select_last_index does not run here");
          }
          long axis = node.integer("axis", 0);
          boolean keep = node.flag("keepdims", true);
          return x -> {
            Attributes attributes = Attributes.of("dim", axis, "keepdim", keep);
            return OnnxKernel.apply(operation, attributes, node, x);
          };
        });
  }

  private static OnnxKernel.Single cumulative(OnnxNode node) {
    if (node.flag("exclusive", false) || node.flag("reverse", false)) {
      throw node.unsupported("runs here forwards and inclusive only");
    }
    return x -> {
      Variable input = node.required(0, x);
      long[] axis = node.integers(node.required(1, x));
      if (axis.length != 1) {
        throw node.bad("takes one axis, got " + axis.length);
      }
      int dim = node.dim(axis[0], input.value().rank());
      return Ops.like(input, Variable.apply("cumsum", Attributes.of("dim", dim), input));
    };
  }

  private static Operator softmax(String operation) {
    return Operator.of(
        1,
        node -> {
          boolean flat = node.opset() < ONE_DIM_SOFTMAX;
          long axis = node.integer("axis", flat ? 1 : -1);
          return x -> {
            Variable input = node.required(0, x);
            int rank = input.value().rank();
            int dim = node.dim(axis, rank);
            if (!flat || dim == rank - 1) {
              return Variable.apply(operation, Attributes.of("dim", dim), input);
            }
            // Older versions see a matrix: the dimensions from the axis on are one.
            long[] shape = input.value().shape();
            long rows = LongStream.of(shape).limit(dim).reduce(1, (a, b) -> a * b);
            Variable matrix = input.reshape(rows, rows == 0 ? 0 : input.value().size() / rows);
            return Variable.apply(operation, Attributes.of("dim", 1), matrix).reshape(shape);
          };
        });
  }
}
