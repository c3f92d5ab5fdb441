package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.graph.GraphStep.Kernel;
import io.hazelgrad.autograd.ops.Attributes;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** The operations of network layers in graphs. All take floating-point types. */
final class GraphLayers {
  /** ND4J adds it to a standard deviation before it divides. */
  private static final double TINY = 1e-12;

  private GraphLayers() {}

  /** Multiplies matrices, or stacks of matrices. */
  static Kernel matmul(GraphNode node) {
    long[] flags = Arrays.copyOf(node.integers(), 3);
    double[] reals = node.reals();
    boolean plain = reals.length == 0 || (reals.length == 2 && reals[0] == 1 && reals[1] == 0);
    if (flags[2] != 0 || !plain) {
      throw node.bad("must be unscaled and not transposed as a whole");
    }
    return x -> {
      if (x[0].value().rank() < 2 || x[1].value().rank() < 2) {
        throw node.bad("takes two arrays of rank 2 or more; got " + GraphNode.shapes(x));
      }
      Variable left = flags[0] == 0 ? x[0] : x[0].transpose(-2, -1);
      return left.matmul(flags[1] == 0 ? x[1] : x[1].transpose(-2, -1));
    };
  }

  /** Computes {@code x w + b}, rectified or not. */
  static Kernel linear(GraphNode node) {
    for (long flag : node.integers()) {
      if (flag != 0) {
        throw node.bad("must not transpose");
      }
    }
    boolean rectified = node.op().equals("relu_layer");
    return x -> {
      if (x[0].value().rank() != 2 || x[1].value().rank() != 2 || x[2].value().rank() != 1) {
        throw node.bad("takes two matrices and a vector; got " + GraphNode.shapes(x));
      }
      Variable y = x[0].matmul(x[1]);
      y = y.add(alongDimension(node, y, x[2], rank -> 1));
      return rectified ? y.relu() : y;
    };
  }

  static Kernel biasAdd(GraphNode node) {
    return x -> x[0].add(alongDimension(node, x[0], x[1], channels(node)));
  }

  /** Returns the place of the channels: the second dimension, or the last one. */
  private static IntUnaryOperator channels(GraphNode node) {
    return rank -> node.flag(0) ? 1 : rank - 1;
  }

  /** Returns a vector over one dimension of x in a shape that broadcasts over x. */
  private static Variable alongDimension(
      GraphNode node, Variable x, Variable vector, IntUnaryOperator dimension) {
    int rank = x.value().rank();
    int dim = rank < 2 ? -1 : dimension.applyAsInt(rank);
    if (dim < 0 || !vector.value().hasShape(x.value().shape(dim))) {
      throw node.bad("takes a vector over the channels; got " + GraphNode.shapes(x, vector));
    }
    if (dim == rank - 1) {
      return vector;
    }
    long[] shape = new long[rank - dim];
    Arrays.fill(shape, 1);
    shape[0] = vector.value().size();
    return vector.reshape(shape);
  }

  static Kernel standardize(GraphNode node) {
    Attributes along = Attributes.of("dim", node.integers(), "keepdim", true);
    Attributes biased =
        Attributes.of(Map.of("dim", node.integers(), "keepdim", true, "unbiased", false));
    return x -> {
      Variable deviation = Variable.apply("std", biased, x);
      return x[0].sub(Variable.apply("mean", along, x))
          .div(deviation.add(GraphFormulas.number(deviation, TINY)));
    };
  }

  /** Standardizes, then applies a gain and perhaps a bias of the channels. */
  static Kernel layerNorm(GraphNode node) {
    Kernel standardize = standardize(node);
    return x -> {
      Variable y = standardize.run(x[0]);
      y = y.mul(alongDimension(node, y, x[1], channels(node)));
      return x.length == 2 ? y : y.add(alongDimension(node, y, x[2], channels(node)));
    };
  }

  /**
   * Normalizes with a given mean and variance, then applies a gain and a bias if they are there.
   */
  static Kernel batchNorm(GraphNode node) {
    long[] settings = node.integers(3);
    double eps = node.reals(1)[0];
    int vectors = 3 + (settings[0] == 0 ? 0 : 1) + (settings[1] == 0 ? 0 : 1);
    return x -> {
      if (x.length != vectors) {
        throw node.bad("needs " + vectors + " inputs, got " + x.length);
      }
      Variable[] along = new Variable[vectors];
      for (int i = 1; i < vectors; i++) {
        along[i] = alongDimension(node, x[0], x[i], rank -> node.dimension(settings[2], rank));
      }
      Variable deviation =
          Variable.apply("sqrt", along[2].add(GraphFormulas.number(along[2], eps)));
      Variable y = x[0].sub(along[1]).div(deviation);
      y = settings[0] == 0 ? y : y.mul(along[3]);
      return settings[1] == 0 ? y : y.add(along[vectors - 1]);
    };
  }
}
