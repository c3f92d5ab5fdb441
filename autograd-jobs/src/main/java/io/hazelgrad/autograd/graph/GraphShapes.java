package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.graph.GraphStep.Kernel;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The operations of graphs that move or choose elements, without arithmetic. */
final class GraphShapes {
  /** SameDiff's number for a row-major reshape. */
  private static final long ROW_MAJOR = -99;

  /** The masks in front of the bounds of a strided slice. */
  private static final int MASKS = 5;

  private GraphShapes() {}

  static Kernel cast(GraphNode node) {
    long code = node.integers(1)[0];
    if (code != (byte) code) {
      throw node.bad("has no element type");
    }
    DType dtype = FlatVectors.dtype((int) code, node.toString());
    return x -> GraphFormulas.cast(x[0], dtype);
  }

  static Kernel reshape(GraphNode node) {
    long[] integers = node.integers();
    if (integers.length == 0 || integers[0] != ROW_MAJOR) {
      throw node.bad("must be row-major, to a fixed shape");
    }
    return Kernel.of(
        "reshape", Attributes.of("shape", Arrays.copyOfRange(integers, 1, integers.length)));
  }

  /** Reorders the dimensions, by default back to front. */
  static Kernel transpose(GraphNode node) {
    int[] order = Arrays.stream(node.integers()).mapToInt(d -> (int) d).toArray();
    return x -> {
      int rank = x[0].value().rank();
      IntStream reversed = IntStream.range(0, rank).map(d -> rank - 1 - d);
      return permuted(x[0], order.length > 0 ? order : reversed.toArray());
    };
  }

  static Variable permuted(Variable x, int... dims) {
    return Variable.apply("permute", Attributes.of("dims", dims), x);
  }

  /** Takes the slices that an index of any shape names, which the node may have itself. */
  static Kernel gather(GraphNode node) {
    long[] integers = node.integers();
    if (integers.length == 0) {
      throw node.bad("lacks its dimension");
    }
    long[] own = Arrays.copyOfRange(integers, 1, integers.length);
    return x -> {
      Tensor index = x.length == 2 ? x[1].value() : Tensor.of(own, own.length);
      long[] shape = x[0].value().shape();
      int dim = node.dimension(integers[0], shape.length);
      long[] gathered =
          Stream.of(
                  Arrays.copyOf(shape, dim),
                  index.shape(),
                  Arrays.copyOfRange(shape, dim + 1, shape.length))
              .flatMapToLong(Arrays::stream)
              .toArray();
      Variable vector = Variable.of(index.reshape(index.size()).to(x[0].value().device()));
      return Variable.apply("index_select", Attributes.of("dim", dim), x[0], vector)
          .reshape(gathered);
    };
  }

  /** Takes a box: its corner, then its extents, of which -1 is the rest. */
  static Kernel slice(GraphNode node) {
    long[] box = node.integers();
    return x -> {
      long[] shape = x[0].value().shape();
      if (box.length != 2 * shape.length) {
        throw node.bad("has a box of " + box.length + " numbers for " + GraphNode.shapes(x));
      }
      Variable y = x[0];
      for (int d = 0; d < shape.length; d++) {
        long begin = box[d];
        long extent = box[shape.length + d];
        long end = extent == -1 ? shape[d] : begin + extent;
        if (begin < 0 || end <= begin || end > shape[d]) {
          throw node.bad("cannot take " + Arrays.toString(box) + " of " + GraphNode.shapes(x));
        }
        y = range(y, d, begin, end, 1);
      }
      return y;
    };
  }

  private static Variable range(Variable x, int dim, long begin, long end, long step) {
    return begin == 0 && end >= x.value().shape(dim) && step == 1
        ? x
        : Variable.apply(
            "slice",
            Attributes.of(Map.of("dim", dim, "start", begin, "end", end, "step", step)),
            x);
  }

  /** Takes a box with steps. A point, whose bit is in the last mask, drops its dimension. */
  static Kernel stridedSlice(GraphNode node) {
    long[] integers = node.integers();
    int count = (integers.length - MASKS) / 3;
    if (integers.length != MASKS + 3 * count || integers[1] != 0 || integers[3] != 0) {
      throw node.bad("must have a begin, an end and a step for each dimension, and no new one");
    }
    return x -> {
      long[] shape = x[0].value().shape();
      if (count > shape.length) {
        throw node.bad("has " + count + " ranges for " + GraphNode.shapes(x));
      }
      Variable y = x[0];
      int dropped = 0;
      for (int d = 0; d < count; d++) {
        long begin = integers[MASKS + d];
        long end = integers[MASKS + count + d];
        long step = integers[MASKS + 2 * count + d];
        if (isSet(integers[4], d)) {
          int point = node.dimension(begin, (int) shape[d]);
          y = range(y, d - dropped, point, point + 1, 1);
          y = Variable.apply("squeeze", Attributes.of("dim", d - dropped++), y);
        } else {
          begin = isSet(integers[0], d) ? 0 : begin;
          end = isSet(integers[2], d) ? shape[d] : end;
          y = range(y, d - dropped, begin, end, step);
        }
      }
      return y;
    };
  }

  private static boolean isSet(long mask, int bit) {
    return (mask >> bit & 1) != 0;
  }
}
