package io.hazelgrad.grid.graph;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The operations that a graph may have, by SameDiff's names. A graph with another operation is
 * refused when it is deployed.
 *
 * <p>ND4J's native code trusts its arguments: an index out of range or an integer division by zero
 * ends the process. An operation is therefore listed only if its arguments can be checked in Java.
 * The checks run before every use, on the arrays themselves. No operation takes an index from a
 * tensor, loops, or creates an array whose size depends on a tensor's elements. Divisions take
 * floating-point types.
 *
 * <p>The name of an operation alone decides what runs. The class, number and properties that the
 * bytes give for it are ignored.
 */
final class GraphOps {
  /** The computation of a step. Its result is always a new array. */
  private interface Kernel {
    INDArray run(GraphStep step, INDArray[] inputs);
  }

  /** An operation, the number of its inputs, and whether they must be floating-point. */
  private record Op(int least, int most, boolean floating, Kernel kernel) {}

  private static final Map<String, Op> OPS = new HashMap<>();

  static {
    for (String op : List.of("add", "subtract", "multiply", "reversesubtract")) {
      add(op, 2, GraphNativeOps::broadcast);
    }
    for (String op : List.of("maximum", "minimum", "squaredsubtract", "equals", "not_equals")) {
      add(op, 2, GraphNativeOps::broadcast);
    }
    for (String op : List.of("divide", "reversedivide", "Pow")) {
      addFloating(op, 2, GraphNativeOps::broadcast);
    }
    for (String op : List.of("greater", "greater_equal", "less", "less_equal")) {
      add(op, 2, GraphNativeOps::broadcast);
    }
    addScalars();
    addUnary();
    for (String op : List.of("reduce_sum", "reduce_max", "reduce_min")) {
      add(op, 1, GraphNativeOps::reduce);
    }
    for (String op : List.of("reduce_mean", "reduce_prod", "reduce_norm1", "reduce_norm2")) {
      addFloating(op, 1, GraphNativeOps::reduce);
    }
    add("argmax", 1, GraphNativeOps::argument);
    add("argmin", 1, GraphNativeOps::argument);
    addShapes();
    addLayers();
  }

  private GraphOps() {}

  private static void addScalars() {
    Map<String, String> exact =
        Map.of(
            "add_scalar", "add",
            "sub_scalar", "subtract",
            "mul_scalar", "multiply",
            "rsub_scalar", "reversesubtract");
    exact.forEach((op, with) -> add(op, 1, (step, x) -> GraphNativeOps.scalar(step, x[0], with)));
    Map<String, String> dividing =
        Map.of("div_scalar", "divide", "rdiv_scalar", "reversedivide", "pow", "Pow");
    dividing.forEach(
        (op, with) -> addFloating(op, 1, (step, x) -> GraphNativeOps.scalar(step, x[0], with)));
    Map<String, String> rectifiers = Map.of("relu", "relu", "relu6", "relu6", "leakyrelu", "lrelu");
    rectifiers.forEach(
        (op, with) -> addFloating(op, 1, (step, x) -> GraphNativeOps.rectifier(step, x[0], with)));
  }

  private static void addUnary() {
    for (String op : ElementTransforms.names()) {
      addFloating(op, 1, (step, x) -> ElementTransforms.run(step, x[0]));
    }
    addFloating("elu", 1, (step, x) -> GraphNativeOps.elu(step, x[0]));
    addFloating("ClipByValue", 1, (step, x) -> GraphNativeOps.clip(step, x[0]));
    addFloating("softmax", 1, (step, x) -> GraphNativeOps.softmax(step, x[0]));
    addFloating("log_softmax", 1, (step, x) -> GraphNativeOps.softmax(step, x[0]));
  }

  private static void addShapes() {
    add("identity", 1, (step, x) -> x[0].dup('c'));
    add("cast", 1, (step, x) -> GraphShapeOps.cast(step, x[0]));
    add("reshape", 1, (step, x) -> GraphShapeOps.reshape(step, x[0]));
    add("permute", 1, (step, x) -> GraphShapeOps.permute(step, x[0]));
    add("transpose", 1, (step, x) -> GraphShapeOps.transpose(step, x[0]));
    add("expand_dims", 1, (step, x) -> GraphShapeOps.expandDims(step, x[0]));
    add("squeeze", 1, (step, x) -> GraphShapeOps.squeeze(step, x[0]));
    OPS.put("concat", new Op(1, 64, false, GraphShapeOps::concat));
    OPS.put("stack", new Op(1, 64, false, GraphShapeOps::stack));
  }

  private static void addLayers() {
    addFloating("matmul", 2, GraphLayerOps::matmul);
    addFloating("xw_plus_b", 3, GraphLayerOps::linear);
    addFloating("relu_layer", 3, GraphLayerOps::linear);
    addFloating("biasadd", 2, GraphLayerOps::biasAdd);
    addFloating("standardize", 1, GraphLayerOps::standardize);
    OPS.put("layer_norm", new Op(2, 3, true, GraphLayerOps::layerNorm));
  }

  private static void add(String name, int inputs, Kernel kernel) {
    OPS.put(name, new Op(inputs, inputs, false, kernel));
  }

  private static void addFloating(String name, int inputs, Kernel kernel) {
    OPS.put(name, new Op(inputs, inputs, true, kernel));
  }

  /** Returns the names of all operations that a graph may have. */
  static SortedSet<String> names() {
    return new TreeSet<>(OPS.keySet());
  }

  /** Checks a step when its graph is deployed. */
  static void check(GraphStep step) {
    Op op = OPS.get(step.op());
    if (op == null) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "node \"%s\" has the operation \"%s\"; graphs may have %s"
              .formatted(step.node(), step.op(), names()));
    }
    int inputs = step.inputs().length;
    if (inputs < op.least || inputs > op.most) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "node \"%s\" (%s) has %s inputs; graphs may have it with %s"
              .formatted(
                  step.node(),
                  step.op(),
                  inputs,
                  op.least == op.most ? op.least : op.least + " to " + op.most));
    }
  }

  /** Runs a step that passed {@link #check}. The result shares no memory with the inputs. */
  static INDArray run(GraphStep step, INDArray... inputs) {
    Op op = OPS.get(step.op());
    if (op == null) {
      throw new IllegalStateException("not checked: " + step);
    }
    for (INDArray input : inputs) {
      if (op.floating && !input.dataType().isFPType()) {
        throw step.bad("takes floating-point elements, got " + input.dataType());
      }
    }
    return op.kernel.run(step, inputs);
  }

  static void requireOneType(GraphStep step, INDArray[] inputs) {
    DataType type = inputs[0].dataType();
    for (INDArray input : inputs) {
      if (input.dataType() != type) {
        throw step.bad("takes one element type, got " + type + " and " + input.dataType());
      }
    }
  }

  /** Returns a dimension counted from 0; negative ones count from the end. */
  static int dimension(GraphStep step, long dimension, int rank) {
    long counted = dimension < 0 ? dimension + rank : dimension;
    if (counted < 0 || counted >= rank) {
      throw step.bad("has the dimension " + dimension + " for an array of rank " + rank);
    }
    return (int) counted;
  }

  /** Returns distinct, checked dimensions; none, or {@code Integer.MAX_VALUE}, means all. */
  static long[] dimensions(GraphStep step, long[] dimensions, int rank) {
    boolean all =
        dimensions.length == 0 || (dimensions.length == 1 && dimensions[0] == Integer.MAX_VALUE);
    if (all) {
      return IntStream.range(0, rank).asLongStream().toArray();
    }
    long[] checked =
        Arrays.stream(dimensions).map(d -> dimension(step, d, rank)).sorted().distinct().toArray();
    if (checked.length != dimensions.length) {
      throw step.bad("has a dimension twice: " + Arrays.toString(dimensions));
    }
    return checked;
  }
}
