package io.hazelgrad.grid.graph;

import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.factory.Nd4j;

/** Runs arithmetic of graphs by libnd4j's operations, with the checks that libnd4j omits. */
final class GraphNativeOps {
  private static final long[] NO_INTEGERS = {};
  private static final double[] NO_REALS = {};
  private static final boolean[] NO_FLAGS = {};

  private GraphNativeOps() {}

  /** Runs an operation of libnd4j. Its arguments must have been checked. */
  static INDArray call(
      GraphStep step,
      String op,
      INDArray[] inputs,
      long[] integers,
      double[] reals,
      boolean[] flags) {
    DynamicCustomOp.DynamicCustomOpsBuilder builder = DynamicCustomOp.builder(op).addInputs(inputs);
    for (long integer : integers) {
      builder.addIntegerArguments(integer);
    }
    for (double real : reals) {
      builder.addFloatingPointArguments(real);
    }
    for (boolean flag : flags) {
      builder.addBooleanArguments(flag);
    }
    INDArray[] results = Nd4j.exec(builder.build());
    if (results.length != 1) {
      throw step.bad("returned " + results.length + " results, not 1");
    }
    return results[0];
  }

  static INDArray call(GraphStep step, INDArray[] inputs, long... integers) {
    return call(step, step.op(), inputs, integers, NO_REALS, NO_FLAGS);
  }

  /** Combines two arrays element by element; both are broadcast. */
  static INDArray broadcast(GraphStep step, INDArray[] x) {
    return broadcast(step, step.op(), x);
  }

  private static INDArray broadcast(GraphStep step, String op, INDArray... x) {
    GraphOps.requireOneType(step, x);
    requireNumbers(step, x[0]);
    for (int back = 1; back <= Math.min(x[0].rank(), x[1].rank()); back++) {
      long a = x[0].size(-back);
      long b = x[1].size(-back);
      if (a != b && a != 1 && b != 1) {
        throw step.bad(
            "cannot broadcast the shapes %s and %s"
                .formatted(Arrays.toString(x[0].shape()), Arrays.toString(x[1].shape())));
      }
    }
    return call(step, op, x, NO_INTEGERS, NO_REALS, NO_FLAGS);
  }

  /** Combines an array with the number that SameDiff stores in the node. */
  static INDArray scalar(GraphStep step, INDArray x, String with) {
    Double value = step.settings().scalar();
    if (value == null) {
      throw step.bad("lacks its scalar");
    }
    try (INDArray scalar = Nd4j.scalar(x.dataType(), value)) {
      return broadcast(step, with, x, scalar);
    }
  }

  /** Runs a rectifier; the number is its cutoff or slope. */
  static INDArray rectifier(GraphStep step, INDArray x, String with) {
    Double value = step.settings().scalar();
    double[] real = {value == null ? 0 : value};
    return call(step, with, new INDArray[] {x}, NO_INTEGERS, real, NO_FLAGS);
  }

  static INDArray elu(GraphStep step, INDArray x) {
    return call(step, step.op(), new INDArray[] {x}, NO_INTEGERS, reals(step, 1), NO_FLAGS);
  }

  static INDArray clip(GraphStep step, INDArray x) {
    double[] bounds = reals(step, 2);
    if (!(bounds[0] < bounds[1])) {
      throw step.bad("needs a lower bound below the upper one: " + Arrays.toString(bounds));
    }
    return call(step, step.op(), new INDArray[] {x}, NO_INTEGERS, bounds, NO_FLAGS);
  }

  private static double[] reals(GraphStep step, int count) {
    double[] reals = step.settings().reals();
    if (reals.length != count) {
      throw step.bad("has " + reals.length + " numbers, not " + count);
    }
    return reals;
  }

  static INDArray softmax(GraphStep step, INDArray x) {
    long[] integers = step.settings().integers();
    requireRank(step, x, 1);
    long dimension = integers.length == 0 ? -1 : integers[0];
    return call(step, new INDArray[] {x}, GraphOps.dimension(step, dimension, x.rank()));
  }

  static INDArray reduce(GraphStep step, INDArray[] x) {
    requireNumbers(step, x[0]);
    long[] dimensions = GraphOps.dimensions(step, step.settings().dimensions(), x[0].rank());
    if (x[0].rank() == 0) {
      return x[0].dup('c');
    }
    return call(step, step.op(), x, dimensions, NO_REALS, new boolean[] {step.settings().flag(0)});
  }

  /** Finds the index of the largest or smallest element. */
  static INDArray argument(GraphStep step, INDArray[] x) {
    requireRank(step, x[0], 1);
    requireNumbers(step, x[0]);
    long[] dimensions = GraphOps.dimensions(step, step.settings().integers(), x[0].rank());
    return call(step, step.op(), x, dimensions, NO_REALS, new boolean[] {step.settings().flag(0)});
  }

  private static void requireNumbers(GraphStep step, INDArray x) {
    if (x.dataType() == DataType.BOOL) {
      throw step.bad("takes numbers, got BOOL");
    }
  }

  static void requireRank(GraphStep step, INDArray x, int least) {
    if (x.rank() < least) {
      throw step.bad("takes an array of rank " + least + " or more, got " + x.rank());
    }
  }
}
