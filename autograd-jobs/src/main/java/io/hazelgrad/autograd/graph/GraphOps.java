package io.hazelgrad.autograd.graph;

import static io.hazelgrad.autograd.graph.GraphFormulas.number;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.graph.GraphStep.Kernel;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The operations that a graph may have, by SameDiff's names, each as a formula of operations of the
 * catalogue. These check their arguments, and have gradients.
 *
 * <p>The name of an operation alone decides what runs. The class, number and properties that the
 * bytes give for it are ignored. No operation loops, or creates an array whose size depends on a
 * tensor's elements.
 */
final class GraphOps {
  /** The element types of an operation's inputs. */
  enum Takes {
    /** Those that the operations of the catalogue take. */
    ANY,
    /** One type for all. */
    ONE,
    /** One type for all, not BOOL. */
    NUMBERS,
    /** One floating-point type for all. */
    FLOATS
  }

  /** An operation: the number of its inputs, their types, and how a node of it is compiled. */
  private record Op(int least, int most, Takes takes, Function<GraphNode, Kernel> compiler) {}

  private static final Map<String, Op> OPS = new HashMap<>();

  static {
    addPairs();
    addScalars();
    addFunctions();
    addActivations();
    addReductions();
    addShapes();
    addLayers();
  }

  private GraphOps() {}

  private static void addPairs() {
    pair("add", Takes.NUMBERS, Variable::add);
    pair("subtract", Takes.NUMBERS, Variable::sub);
    pair("multiply", Takes.NUMBERS, Variable::mul);
    pair("reversesubtract", Takes.NUMBERS, (a, b) -> b.sub(a));
    pair("squaredsubtract", Takes.NUMBERS, (a, b) -> Variable.apply("square", a.sub(b)));
    pair("divide", Takes.FLOATS, Variable::div);
    pair("reversedivide", Takes.FLOATS, (a, b) -> b.div(a));
    pair("Pow", Takes.FLOATS, (a, b) -> Variable.apply("pow", a, b));
    Map.of(
            "equals", "eq",
            "not_equals", "ne",
            "greater", "gt",
            "greater_equal", "ge",
            "less", "lt",
            "less_equal", "le",
            "maximum", "maximum",
            "minimum", "minimum")
        .forEach((op, name) -> put(op, 2, Takes.NUMBERS, node -> Kernel.of(name)));
  }

  private static void addScalars() {
    scalar("add_scalar", Takes.NUMBERS, Variable::add);
    scalar("sub_scalar", Takes.NUMBERS, Variable::sub);
    scalar("mul_scalar", Takes.NUMBERS, Variable::mul);
    scalar("rsub_scalar", Takes.NUMBERS, (x, number) -> number.sub(x));
    scalar("div_scalar", Takes.FLOATS, Variable::div);
    scalar("rdiv_scalar", Takes.FLOATS, (x, number) -> number.div(x));
    scalar("pow", Takes.FLOATS, (x, number) -> Variable.apply("pow", x, number));
  }

  private static void addFunctions() {
    List<String> named =
        List.of(
            "neg", "abs", "sign", "square", "floor", "ceil", "sqrt", "rsqrt", "exp", "expm1", "log",
            "log1p", "sin", "cos", "erf", "tanh", "sigmoid");
    named.forEach(op -> put(op, 1, Takes.FLOATS, node -> Kernel.of(op)));
    put("Reciprocal", 1, Takes.FLOATS, node -> Kernel.of("reciprocal"));
    single("cube", x -> x.mul(x).mul(x));
    single("tan", x -> Variable.apply("sin", x).div(Variable.apply("cos", x)));
    single("round", GraphFormulas::round);
    single("erfc", GraphFormulas::complementaryErf);
  }

  private static void addActivations() {
    put("logsigmoid", 1, Takes.FLOATS, node -> Kernel.of("log_sigmoid"));
    put("swish", 1, Takes.FLOATS, node -> Kernel.of("silu"));
    put("hardtanh", 1, Takes.FLOATS, node -> clamp(-1, 1));
    put("relu6", 1, Takes.FLOATS, node -> clamp(node.number(), 6));
    put("leakyrelu", 1, Takes.FLOATS, node -> with("leaky_relu", "negative_slope", node.number()));
    put("elu", 1, Takes.FLOATS, node -> with("elu", "alpha", node.reals(1)[0]));
    put(
        "relu",
        1,
        Takes.FLOATS,
        node -> node.number() == 0 ? Kernel.of("relu") : with("clamp", "min", node.number()));
    put(
        "ClipByValue",
        1,
        Takes.FLOATS,
        node -> {
          double[] bounds = node.reals(2);
          if (!(bounds[0] < bounds[1])) {
            throw node.bad("needs a lower bound below the upper one: " + Arrays.toString(bounds));
          }
          return clamp(bounds[0], bounds[1]);
        });
    for (String op : List.of("softmax", "log_softmax")) {
      put(op, 1, Takes.FLOATS, node -> with(op, "dim", node.dimension(-1)));
    }
    single("hard_sigmoid", GraphFormulas::hardSigmoid);
    single("selu", GraphFormulas::selu);
    single("gelu", GraphFormulas::gelu);
    single("precise_gelu", GraphFormulas::preciseGelu);
    single("softplus", x -> Variable.apply("log_sigmoid", x.neg()).neg());
    single("softsign", x -> x.div(Variable.apply("abs", x).add(number(x, 1))));
  }

  private static Kernel clamp(double min, double max) {
    return Kernel.of("clamp", Attributes.of("min", min, "max", max));
  }

  private static Kernel with(String operation, String attribute, Object value) {
    return Kernel.of(operation, Attributes.of(attribute, value));
  }

  private static void addReductions() {
    reduction("reduce_max", "amax", Takes.NUMBERS);
    reduction("reduce_min", "amin", Takes.NUMBERS);
    reduction("reduce_mean", "mean", Takes.FLOATS);
    reduction("reduce_prod", "prod", Takes.FLOATS);
    reduction("reduce_norm2", "norm", Takes.FLOATS);
    for (String op : List.of("argmax", "argmin")) {
      put(op, 1, Takes.NUMBERS, node -> Kernel.of(op, along(node, node.integers())));
    }
    put(
        "reduce_sum",
        1,
        Takes.NUMBERS,
        node -> {
          Kernel sum = Kernel.of("sum", along(node, node.dimensions()));
          return x -> GraphFormulas.like(x[0], sum.run(x));
        });
    put(
        "reduce_norm1",
        1,
        Takes.FLOATS,
        node -> {
          Kernel sum = Kernel.of("sum", along(node, node.dimensions()));
          return x -> sum.run(Variable.apply("abs", x));
        });
  }

  private static void reduction(String op, String name, Takes takes) {
    put(op, 1, takes, node -> Kernel.of(name, along(node, node.dimensions())));
  }

  /** Returns the attributes of a reduction; no dimension, or {@code Integer.MAX_VALUE}, is all. */
  private static Attributes along(GraphNode node, long[] dimensions) {
    boolean all =
        dimensions.length == 0 || (dimensions.length == 1 && dimensions[0] == Integer.MAX_VALUE);
    return Attributes.of("dim", all ? new long[0] : dimensions, "keepdim", node.flag(0));
  }

  private static void addShapes() {
    put("identity", 1, Takes.ANY, node -> Kernel.of("identity"));
    put("cast", 1, Takes.ANY, GraphShapes::cast);
    put("reshape", 1, Takes.ANY, GraphShapes::reshape);
    put("permute", 1, Takes.ANY, node -> with("permute", "dims", node.integers()));
    put("transpose", 1, Takes.ANY, GraphShapes::transpose);
    put("expand_dims", 1, Takes.ANY, node -> with("unsqueeze", "dim", node.integers(1)[0]));
    put(
        "squeeze",
        1,
        Takes.ANY,
        node ->
            node.integers().length == 0
                ? Kernel.of("squeeze")
                : with("squeeze", "dim", node.integers()));
    put("slice", 1, Takes.ANY, GraphShapes::slice);
    put("strided_slice", 1, Takes.ANY, GraphShapes::stridedSlice);
    OPS.put("gather", new Op(1, 2, Takes.ANY, GraphShapes::gather));
    for (String op : List.of("concat", "stack")) {
      OPS.put(op, new Op(1, 64, Takes.ONE, node -> with(op, "dim", node.integers(1)[0])));
    }
  }

  private static void addLayers() {
    put("matmul", 2, Takes.FLOATS, GraphLayers::matmul);
    put("xw_plus_b", 3, Takes.FLOATS, GraphLayers::linear);
    put("relu_layer", 3, Takes.FLOATS, GraphLayers::linear);
    put("biasadd", 2, Takes.FLOATS, GraphLayers::biasAdd);
    put("standardize", 1, Takes.FLOATS, GraphLayers::standardize);
    OPS.put("layer_norm", new Op(2, 3, Takes.FLOATS, GraphLayers::layerNorm));
    OPS.put("batchnorm", new Op(3, 5, Takes.FLOATS, GraphLayers::batchNorm));
    OPS.put("conv2d", new Op(2, 3, Takes.FLOATS, GraphWindows::convolution));
    put("maxpool2d", 1, Takes.FLOATS, GraphWindows::maxPool);
    put("avgpool2d", 1, Takes.FLOATS, GraphWindows::averagePool);
  }

  private static void put(
      String op, int inputs, Takes takes, Function<GraphNode, Kernel> compiler) {
    OPS.put(op, new Op(inputs, inputs, takes, compiler));
  }

  private static void pair(String op, Takes takes, BinaryOperator<Variable> formula) {
    put(op, 2, takes, node -> x -> formula.apply(x[0], x[1]));
  }

  private static void single(String op, UnaryOperator<Variable> formula) {
    put(op, 1, Takes.FLOATS, node -> x -> formula.apply(x[0]));
  }

  /** Adds an operation with the number that SameDiff stores in the node. */
  private static void scalar(String op, Takes takes, BinaryOperator<Variable> formula) {
    put(op, 1, takes, node -> x -> formula.apply(x[0], number(x[0], node.number())));
  }

  /** Returns the names of all operations that a graph may have. */
  static SortedSet<String> names() {
    return new TreeSet<>(OPS.keySet());
  }

  /** Checks a node with that many inputs and returns its computation. */
  static Kernel compile(GraphNode node, int inputs) {
    Op op = OPS.get(node.op());
    if (op == null) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "%s has the operation \"%s\"; graphs may have %s".formatted(node, node.op(), names()));
    }
    if (inputs < op.least || inputs > op.most) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "%s (%s) has %s inputs; graphs may have it with %s"
              .formatted(
                  node,
                  node.op(),
                  inputs,
                  op.least == op.most ? op.least : op.least + " to " + op.most));
    }
    Kernel kernel;
    try {
      kernel = op.compiler.apply(node);
    } catch (GridException e) {
      throw node.locate(e);
    }
    return x -> {
      checkTypes(node, op.takes, x);
      return kernel.run(x);
    };
  }

  private static void checkTypes(GraphNode node, Takes takes, Variable... x) {
    DType type = x[0].value().dtype();
    if (takes == Takes.FLOATS && !type.isFloating()) {
      throw node.bad("takes floating-point elements, got " + type);
    }
    if (takes == Takes.NUMBERS && type == DType.BOOL) {
      throw node.bad("takes numbers, got BOOL");
    }
    for (Variable other : x) {
      if (takes != Takes.ANY && other.value().dtype() != type) {
        throw node.bad("takes one element type, got " + type + " and " + other.value().dtype());
      }
    }
  }
}
