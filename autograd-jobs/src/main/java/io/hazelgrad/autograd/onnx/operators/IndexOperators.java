package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel.Operator;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Operators of ONNX that choose elements by position. */
final class IndexOperators {
  private IndexOperators() {}

  static void addTo(Map<String, Operator> all) {
    all.put("Slice", Operator.of(1, 5, IndexOperators::slice));
    all.put("Gather", Operator.of(2, IndexOperators::gather));
    all.put("GatherElements", Operator.of(2, IndexOperators::gatherElements));
    all.put("Trilu", Operator.of(1, 2, IndexOperators::triangle));
  }

  /** Returns the slices along a dimension at these places. */
  static Variable select(Variable x, int dim, long... places) {
    Variable index = Variable.of(Tensor.of(places, places.length).to(x.value().device()));
    return Variable.apply("index_select", Attributes.of("dim", dim), x, index);
  }

  private static OnnxKernel.Single slice(OnnxNode node) {
    return x -> {
      Variable y = node.required(0, x);
      int rank = y.value().rank();
      long[] starts = node.integers("starts", 1, x);
      long[] ends = node.integers("ends", 2, x);
      long[] axes = node.integers("axes", 3, x);
      long[] steps = node.integers("steps", 4, x);
      int count = starts == null ? -1 : starts.length;
      axes = axes == null ? LongStream.range(0, Math.max(0, count)).toArray() : axes;
      if (starts == null
          || ends == null
          || ends.length != count
          || axes.length != count
          || (steps != null && steps.length != count)) {
        throw node.bad(
            "has starts %s, ends %s, axes %s and steps %s"
                .formatted(
                    Arrays.toString(starts),
                    Arrays.toString(ends),
                    Arrays.toString(axes),
                    Arrays.toString(steps)));
      }
      for (int i = 0; i < count; i++) {
        if (rank == 0) {
          throw node.bad("takes no scalars");
        }
        long step = steps == null ? 1 : steps[i];
        y = sliced(node, y, node.dim(axes[i], rank), starts[i], ends[i], step);
      }
      return y;
    };
  }

  private static Variable sliced(
      OnnxNode node, Variable x, int dim, long start, long end, long step) {
    long extent = x.value().shape(dim);
    if (step == 0) {
      throw node.bad("has a step of 0");
    }
    if (step > 0) {
      long from = clamp(start, extent, 0, extent);
      long to = Math.max(from, clamp(end, extent, 0, extent));
      return from == 0 && to == extent && step == 1
          ? x
          : Variable.apply(
              "slice",
              Attributes.of(Map.of("dim", dim, "start", from, "end", to, "step", step)),
              x);
    }
    long from = clamp(start, extent, -1, extent - 1);
    long to = clamp(end, extent, -1, extent - 1);
    long stride = Math.max(step, -Integer.MAX_VALUE);
    return select(x, dim, LongStream.iterate(from, at -> at > to, at -> at + stride).toArray());
  }

  private static long clamp(long bound, long extent, long least, long most) {
    long counted = bound < 0 ? Math.max(bound, -extent - 1) + extent : bound;
    return Math.max(least, Math.min(most, counted));
  }

  private static OnnxKernel.Single gather(OnnxNode node) {
    long axis = node.integer("axis", 0);
    return x -> {
      Variable input = node.required(0, x);
      Tensor index = node.required(1, x).value();
      long[] shape = input.value().shape();
      if (shape.length == 0) {
        throw node.bad("takes no scalars");
      }
      int dim = node.dim(axis, shape.length);
      long[] places = places(node, index, shape[dim]);
      long[] result =
          LongStream.concat(
                  LongStream.concat(Arrays.stream(shape, 0, dim), Arrays.stream(index.shape())),
                  Arrays.stream(shape, dim + 1, shape.length))
              .toArray();
      Variable selected = select(input, dim, places);
      return index.rank() == 1 ? selected : selected.reshape(result);
    };
  }

  private static OnnxKernel.Single gatherElements(OnnxNode node) {
    long axis = node.integer("axis", 0);
    return x -> {
      Variable input = node.required(0, x);
      Tensor index = node.required(1, x).value();
      int dim = node.dim(axis, input.value().rank());
      long extent = input.value().rank() == 0 ? 1 : input.value().shape(dim);
      Tensor places = Tensor.of(places(node, index, extent), index.shape());
      return Variable.apply(
          "gather",
          Attributes.of("dim", dim),
          input,
          Variable.of(places.to(input.value().device())));
    };
  }

  /** Returns the elements of an index, those below 0 counted from the end. */
  private static long[] places(OnnxNode node, Tensor index, long extent) {
    if (index.dtype() != DType.INT64 && index.dtype() != DType.INT32) {
      throw node.bad("takes an INT64 or INT32 index, got " + index);
    }
    return Arrays.stream(index.toLongs()).map(at -> at < 0 ? at + extent : at).toArray();
  }

  /** Keeps the upper or lower triangle of matrices. */
  private static OnnxKernel.Single triangle(OnnxNode node) {
    boolean upper = node.flag("upper", true);
    return (@Nullable Variable... x) -> {
      Variable input = node.required(0, x);
      Variable given = OnnxNode.optional(1, x);
      long[] shape = input.value().shape();
      if (shape.length < 2 || (given != null && given.value().size() != 1)) {
        throw node.bad("takes matrices and one number, got " + input.value() + " and " + given);
      }
      long diagonal = given == null ? 0 : given.value().toLongs()[0];
      long rows = shape[shape.length - 2];
      long columns = shape[shape.length - 1];
      boolean[] kept = new boolean[Math.toIntExact(rows * columns)];
      for (int i = 0; i < kept.length; i++) {
        long distance = i % columns - i / columns;
        kept[i] = upper ? distance >= diagonal : distance <= diagonal;
      }
      Variable mask = Variable.of(Tensor.of(kept, rows, columns).to(input.value().device()));
      return Ops.where(mask, input, Ops.number(input, 0));
    };
  }
}
