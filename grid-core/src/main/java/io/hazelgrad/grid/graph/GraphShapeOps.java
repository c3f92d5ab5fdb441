package io.hazelgrad.grid.graph;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The operations of graphs that move elements without arithmetic. */
final class GraphShapeOps {
  /** SameDiff's number for a row-major reshape. */
  private static final long ROW_MAJOR = -99;

  private static final int MAX_RANK = 32;

  private GraphShapeOps() {}

  static INDArray cast(GraphStep step, INDArray x) {
    long[] integers = step.settings().integers();
    if (integers.length != 1 || integers[0] != (byte) integers[0]) {
      throw step.bad("has no element type");
    }
    FlatVectors.dtype((int) integers[0], "node \"" + step.node() + "\"");
    DataType type = DataType.fromInt((int) integers[0]);
    return x.dataType() == type ? x.dup('c') : x.castTo(type);
  }

  static INDArray reshape(GraphStep step, INDArray x) {
    long[] integers = step.settings().integers();
    if (integers.length == 0 || integers[0] != ROW_MAJOR || integers.length - 1 > MAX_RANK) {
      throw step.bad("must be row-major, to a fixed shape of rank 32 at most");
    }
    long[] shape = Arrays.copyOfRange(integers, 1, integers.length);
    long known = 1;
    int open = -1;
    for (int i = 0; i < shape.length; i++) {
      if (shape[i] == -1 && open < 0) {
        open = i;
      } else if (shape[i] <= 0 || known > Long.MAX_VALUE / shape[i]) {
        throw step.bad("has the shape " + Arrays.toString(shape));
      } else {
        known *= shape[i];
      }
    }
    if (open >= 0 && x.length() % known == 0) {
      shape[open] = x.length() / known;
    } else if (open >= 0 || known != x.length()) {
      throw step.bad("cannot make " + Arrays.toString(shape) + " of " + Arrays.toString(x.shape()));
    }
    long[] all = LongStream.concat(LongStream.of(ROW_MAJOR), Arrays.stream(shape)).toArray();
    return GraphNativeOps.call(step, new INDArray[] {x}, all);
  }

  static INDArray permute(GraphStep step, INDArray x) {
    long[] order = step.settings().integers();
    if (order.length != x.rank()
        || Arrays.stream(order).map(d -> GraphOps.dimension(step, d, x.rank())).distinct().count()
            != order.length) {
      throw step.bad("cannot reorder " + x.rank() + " dimensions by " + Arrays.toString(order));
    }
    return permuted(x, Arrays.stream(order).mapToInt(d -> GraphOps.dimension(step, d, x.rank())));
  }

  static INDArray transpose(GraphStep step, INDArray x) {
    if (step.settings().integers().length > 0) {
      return permute(step, x);
    }
    int rank = x.rank();
    return permuted(x, IntStream.range(0, rank).map(i -> rank - 1 - i));
  }

  private static INDArray permuted(INDArray x, IntStream order) {
    int[] dimensions = order.toArray();
    return dimensions.length == 0 ? x.dup('c') : x.permute(dimensions).dup('c');
  }

  static INDArray expandDims(GraphStep step, INDArray x) {
    long[] integers = step.settings().integers();
    if (integers.length != 1 || x.rank() >= MAX_RANK) {
      throw step.bad("takes one dimension, got " + Arrays.toString(integers));
    }
    int at = GraphOps.dimension(step, integers[0], x.rank() + 1);
    return GraphNativeOps.call(step, new INDArray[] {x}, at);
  }

  static INDArray squeeze(GraphStep step, INDArray x) {
    if (x.rank() == 0) {
      return x.dup('c');
    }
    long[] asked = step.settings().integers();
    long[] dimensions =
        asked.length > 0
            ? GraphOps.dimensions(step, asked, x.rank())
            : IntStream.range(0, x.rank()).filter(d -> x.size(d) == 1).asLongStream().toArray();
    for (long dimension : dimensions) {
      if (x.size((int) dimension) != 1) {
        throw step.bad("cannot drop dimension " + dimension + " of " + Arrays.toString(x.shape()));
      }
    }
    return dimensions.length == 0
        ? x.dup('c')
        : GraphNativeOps.call(step, new INDArray[] {x}, dimensions);
  }

  static INDArray concat(GraphStep step, INDArray[] x) {
    int along = joined(step, x, x[0].rank());
    for (INDArray input : x) {
      for (int d = 0; d < x[0].rank(); d++) {
        if (d != along && input.size(d) != x[0].size(d)) {
          throw differ(step, x[0], input);
        }
      }
    }
    return GraphNativeOps.call(step, x, along);
  }

  static INDArray stack(GraphStep step, INDArray[] x) {
    int along = joined(step, x, x[0].rank() + 1);
    for (INDArray input : x) {
      if (!Arrays.equals(input.shape(), x[0].shape())) {
        throw differ(step, x[0], input);
      }
    }
    return GraphNativeOps.call(step, x, along);
  }

  private static int joined(GraphStep step, INDArray[] x, int rank) {
    GraphOps.requireOneType(step, x);
    long[] integers = step.settings().integers();
    if (integers.length != 1 || rank > MAX_RANK) {
      throw step.bad("takes one dimension, got " + Arrays.toString(integers));
    }
    for (INDArray input : x) {
      if (input.rank() != x[0].rank()) {
        throw differ(step, x[0], input);
      }
    }
    return GraphOps.dimension(step, integers[0], rank);
  }

  private static RuntimeException differ(GraphStep step, INDArray a, INDArray b) {
    return step.bad(
        "cannot join " + Arrays.toString(a.shape()) + " and " + Arrays.toString(b.shape()));
  }
}
