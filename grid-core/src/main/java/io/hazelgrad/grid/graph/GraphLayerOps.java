package io.hazelgrad.grid.graph;

import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The operations of network layers in graphs. All take floating-point types. */
final class GraphLayerOps {
  private GraphLayerOps() {}

  /** Multiplies matrices, or stacks of the same number of matrices. */
  static INDArray matmul(GraphStep step, INDArray[] x) {
    GraphOps.requireOneType(step, x);
    long[] flags = Arrays.copyOf(step.settings().integers(), 3);
    double[] reals = step.settings().reals();
    boolean plain = reals.length == 0 || (reals.length == 2 && reals[0] == 1 && reals[1] == 0);
    int rank = x[0].rank();
    if (flags[2] != 0 || !plain || rank < 2 || x[1].rank() != rank) {
      throw step.bad(
          "takes two arrays of one rank, 2 or more, unscaled, not transposed as a whole; got "
              + shapes(x));
    }
    long left = x[0].size(flags[0] == 0 ? -1 : -2);
    long right = x[1].size(flags[1] == 0 ? -2 : -1);
    boolean fits = left == right;
    for (int d = 0; d < rank - 2; d++) {
      fits &= x[0].size(d) == x[1].size(d);
    }
    if (!fits) {
      throw step.bad("cannot multiply " + shapes(x));
    }
    return GraphNativeOps.call(step, x, flags[0] == 0 ? 0 : 1, flags[1] == 0 ? 0 : 1, 0);
  }

  /** Computes {@code x w + b}, rectified or not. */
  static INDArray linear(GraphStep step, INDArray[] x) {
    GraphOps.requireOneType(step, x);
    for (long flag : step.settings().integers()) {
      if (flag != 0) {
        throw step.bad("must not transpose");
      }
    }
    boolean fits =
        x[0].rank() == 2
            && x[1].rank() == 2
            && x[2].rank() == 1
            && x[0].size(1) == x[1].size(0)
            && x[1].size(1) == x[2].size(0);
    if (!fits) {
      throw step.bad("cannot combine " + shapes(x));
    }
    return GraphNativeOps.call(step, x);
  }

  static INDArray biasAdd(GraphStep step, INDArray[] x) {
    GraphOps.requireOneType(step, x);
    boolean channelsFirst = step.settings().flag(0);
    boolean fits =
        x[0].rank() >= 2 && x[1].rank() == 1 && x[1].size(0) == x[0].size(channelsFirst ? 1 : -1);
    if (!fits) {
      throw step.bad("cannot add a bias: " + shapes(x));
    }
    boolean[] flags = {channelsFirst};
    return GraphNativeOps.call(step, step.op(), x, new long[0], new double[0], flags);
  }

  static INDArray standardize(GraphStep step, INDArray[] x) {
    GraphNativeOps.requireRank(step, x[0], 1);
    return GraphNativeOps.call(
        step, x, GraphOps.dimensions(step, step.settings().integers(), x[0].rank()));
  }

  /** Normalizes over one dimension: the last one, or the channels' one after the first. */
  static INDArray layerNorm(GraphStep step, INDArray[] x) {
    GraphOps.requireOneType(step, x);
    GraphNativeOps.requireRank(step, x[0], 2);
    boolean channelsFirst = step.settings().flag(0);
    long[] dimensions = GraphOps.dimensions(step, step.settings().integers(), x[0].rank());
    long channels = x[0].size(channelsFirst ? 1 : -1);
    for (int i = 1; i < x.length; i++) {
      if (x[i].rank() != 1 || x[i].size(0) != channels) {
        throw step.bad("takes a gain and a bias for " + channels + " channels: " + shapes(x));
      }
    }
    boolean[] flags = {channelsFirst};
    return GraphNativeOps.call(step, step.op(), x, dimensions, new double[0], flags);
  }

  private static String shapes(INDArray[] x) {
    return Arrays.stream(x).map(INDArray::shape).map(Arrays::toString).toList().toString();
  }
}
