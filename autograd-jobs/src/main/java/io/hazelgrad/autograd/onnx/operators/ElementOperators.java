package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel.Operator;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Arithmetic, comparisons and activations of ONNX. */
final class ElementOperators {
  private static final double SELU_ALPHA = 1.6732632423543772;
  private static final double SELU_GAMMA = 1.0507009873554805;

  private ElementOperators() {}

  static void addTo(Map<String, Operator> all) {
    pair(all, "Add", Variable::add);
    pair(all, "Sub", Variable::sub);
    pair(all, "Mul", Variable::mul);
    pair(all, "Div", ElementOperators::divided);
    pair(all, "Pow", (a, b) -> Variable.apply("pow", a, b));
    pair(all, "PRelu", (x, slope) -> Ops.where(below(x, 0), x.mul(slope), x));
    all.put("Mod", Operator.of(2, ElementOperators::modulus));
    folded(all, "Max", (a, b) -> Variable.apply("maximum", a, b));
    folded(all, "Min", (a, b) -> Variable.apply("minimum", a, b));
    folded(all, "Sum", Variable::add);
    Map.of(
            "Equal", "eq",
            "Less", "lt",
            "LessOrEqual", "le",
            "Greater", "gt",
            "GreaterOrEqual", "ge")
        .forEach((type, name) -> all.put(type, Operator.named(2, name)));
    all.put("Where", Operator.named(3, "where"));
    single(all, "Not", x -> Ops.where(x, booleans(x, false), booleans(x, true)));
    pair(all, "And", (a, b) -> Ops.where(a, b, booleans(b, false)));
    pair(all, "Or", (a, b) -> Ops.where(a, booleans(b, true), b));
    functions(all);
    activations(all);
  }

  private static void functions(Map<String, Operator> all) {
    Map.of(
            "Neg", "neg",
            "Abs", "abs",
            "Sign", "sign",
            "Floor", "floor",
            "Ceil", "ceil",
            "Sqrt", "sqrt",
            "Reciprocal", "reciprocal",
            "Exp", "exp",
            "Log", "log",
            "Erf", "erf")
        .forEach((type, name) -> all.put(type, Operator.named(1, name)));
    Map.of(
            "Sin", "sin",
            "Cos", "cos",
            "Tanh", "tanh",
            "Sigmoid", "sigmoid",
            "Relu", "relu",
            "Identity", "identity")
        .forEach((type, name) -> all.put(type, Operator.named(1, name)));
    single(all, "Tan", x -> Variable.apply("sin", x).div(Variable.apply("cos", x)));
    single(all, "Round", ElementOperators::rounded);
    all.put(
        "Cast",
        Operator.of(
            1,
            node -> {
              DType dtype = Protos.dtype(node.integer("to", 0), node.toString());
              return x -> Ops.cast(node.required(0, x), dtype);
            }));
  }

  private static void activations(Map<String, Operator> all) {
    all.put("LeakyRelu", with("leaky_relu", "negative_slope", "alpha", 0.01));
    all.put("Elu", with("elu", "alpha", "alpha", 1));
    single(all, "Softplus", ElementOperators::softplus);
    single(all, "Softsign", x -> x.div(Variable.apply("abs", x).add(Ops.number(x, 1))));
    single(all, "Mish", x -> x.mul(softplus(x).tanh()));
    single(all, "HardSwish", x -> x.mul(clamp(line(x, 1.0 / 6, 0.5), 0.0, 1.0)));
    all.put(
        "HardSigmoid",
        Operator.of(
            1,
            node -> {
              double alpha = node.number("alpha", 0.2);
              double beta = node.number("beta", 0.5);
              return x -> clamp(line(node.required(0, x), alpha, beta), 0.0, 1.0);
            }));
    all.put(
        "Selu",
        Operator.of(
            1,
            node -> {
              double alpha = node.number("alpha", SELU_ALPHA);
              double gamma = node.number("gamma", SELU_GAMMA);
              return x -> {
                Variable elu = Variable.apply("elu", Attributes.of("alpha", alpha), x[0]);
                return elu.mul(Ops.number(elu, gamma));
              };
            }));
    all.put(
        "Gelu",
        Operator.of(
            1,
            node -> {
              Attributes kind = Attributes.of("approximate", node.text("approximate", "none"));
              return x -> OnnxKernel.apply("gelu", kind, node, x);
            }));
    all.put("Clip", Operator.of(1, 3, ElementOperators::clip));
    all.put("Dropout", new Operator(1, 3, 2, node -> x -> dropout(node, x)));
  }

  private static void pair(
      Map<String, Operator> all, String type, BinaryOperator<Variable> formula) {
    all.put(
        type,
        Operator.of(
            2,
            node ->
                x -> {
                  Variable a = node.required(0, x);
                  return Ops.like(a, formula.apply(a, node.required(1, x)));
                }));
  }

  private static void single(
      Map<String, Operator> all, String type, UnaryOperator<Variable> formula) {
    all.put(type, Operator.of(1, node -> x -> formula.apply(node.required(0, x))));
  }

  /** Adds an operator of any number of inputs. */
  private static void folded(
      Map<String, Operator> all, String type, BinaryOperator<Variable> formula) {
    all.put(
        type,
        Operator.of(
            1,
            Integer.MAX_VALUE,
            node ->
                x -> {
                  Variable result = node.required(0, x);
                  for (int i = 1; i < x.length; i++) {
                    result = formula.apply(result, node.required(i, x));
                  }
                  return result;
                }));
  }

  private static Operator with(String operation, String attribute, String name, double usual) {
    return Operator.of(
        1,
        node -> {
          Attributes attributes = Attributes.of(attribute, node.number(name, usual));
          return x -> OnnxKernel.apply(operation, attributes, node, x);
        });
  }

  private static Variable below(Variable x, double bound) {
    return Variable.apply("lt", x, Ops.number(x, bound));
  }

  private static Variable booleans(Variable like, boolean value) {
    return Variable.of(Tensor.full(DType.BOOL, value ? 1 : 0).to(like.value().device()));
  }

  private static Variable line(Variable x, double slope, double offset) {
    return x.mul(Ops.number(x, slope)).add(Ops.number(x, offset));
  }

  private static Variable softplus(Variable x) {
    return Variable.apply("log_sigmoid", x.neg()).neg();
  }

  private static Variable clamp(Variable x, @Nullable Double min, @Nullable Double max) {
    if (min == null && max == null) {
      return x;
    }
    Map<String, Object> bounds = new HashMap<>();
    if (min != null) {
      bounds.put("min", min);
    }
    if (max != null) {
      bounds.put("max", max);
    }
    return Variable.apply("clamp", Attributes.of(bounds), x);
  }

  private static OnnxKernel.Single clip(OnnxNode node) {
    return x -> clamp(node.required(0, x), bound(node, "min", 1, x), bound(node, "max", 2, x));
  }

  private static @Nullable Double bound(
      OnnxNode node, String name, int input, @Nullable Variable... x) {
    if (node.has(name)) {
      return node.number(name, 0);
    }
    Variable given = OnnxNode.optional(input, x);
    if (given != null && given.value().size() != 1) {
      throw node.bad("takes one number as " + name + ", got " + given.value());
    }
    return given == null ? null : given.value().toDoubles()[0];
  }

  /** Returns the input, and the mask, which keeps everything. */
  private static List<Variable> dropout(OnnxNode node, @Nullable Variable... x) {
    Variable ratio = OnnxNode.optional(1, x);
    Variable training = OnnxNode.optional(2, x);
    boolean drops = ratio == null || ratio.value().toDoubles()[0] != 0;
    if (training != null && training.value().toLongs()[0] != 0 && drops) {
      throw node.unsupported("is in training mode; export the model for inference");
    }
    Variable input = node.required(0, x);
    Tensor mask = Tensor.full(DType.BOOL, 1, input.value().shape());
    return List.of(input, Variable.of(mask.to(input.value().device())));
  }

  /** Divides; integers are cut off towards 0. */
  private static Variable divided(Variable a, Variable b) {
    if (a.value().dtype().isFloating()) {
      return a.div(b);
    }
    return truncated(Ops.cast(a, DType.FLOAT64).div(Ops.cast(b, DType.FLOAT64)));
  }

  private static Variable truncated(Variable x) {
    return Ops.where(below(x, 0), Variable.apply("ceil", x), Variable.apply("floor", x));
  }

  /** Returns the remainder: with the sign of the divisor, or with fmod that of the dividend. */
  private static OnnxKernel.Single modulus(OnnxNode node) {
    boolean dividend = node.flag("fmod", false);
    return x -> {
      Variable a = node.required(0, x);
      Variable b = node.required(1, x);
      Variable quotient = Ops.cast(a, DType.FLOAT64).div(Ops.cast(b, DType.FLOAT64));
      Variable whole = dividend ? truncated(quotient) : Variable.apply("floor", quotient);
      return a.sub(b.mul(Ops.like(a, whole)));
    };
  }

  /** Rounds halves to the even neighbour. */
  private static Variable rounded(Variable x) {
    Variable wide = Ops.cast(x, DType.FLOAT64);
    Variable up = Variable.apply("floor", wide.add(Ops.number(wide, 0.5)));
    Variable isHalf = Variable.apply("eq", up.sub(wide), Ops.number(wide, 0.5));
    Variable half = Variable.apply("floor", up.mul(Ops.number(up, 0.5)));
    Variable even = half.add(half);
    return Ops.like(x, Ops.where(isHalf, even, up));
  }
}
