package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.DType;
import java.util.List;
import java.util.Map;

/** Arithmetic, comparisons and activations as ONNX's operators. */
final class ElementFormulas {
  private static final double SQRT_2 = Math.sqrt(2);

  /** The magnitude below which a function near 0 is computed without losing digits. */
  private static final double SMALL = 0.5;

  private ElementFormulas() {}

  static void addTo(Map<String, Formula> all) {
    all.put("add", to -> to.add(to.typed(0), scaledSecond(to)));
    all.put("sub", to -> to.sub(to.typed(0), scaledSecond(to)));
    pair(all, "mul", "Mul");
    pair(all, "div", "Div");
    pair(all, "maximum", "Max");
    pair(all, "minimum", "Min");
    all.put("pow", ElementFormulas::power);
    compared(all, "eq", "Equal");
    compared(all, "lt", "Less");
    compared(all, "le", "LessOrEqual");
    compared(all, "gt", "Greater");
    compared(all, "ge", "GreaterOrEqual");
    all.put("ne", to -> to.node("Not", comparison(to, "Equal")));
    all.put("where", to -> to.where(to.in(0), to.typed(1), to.typed(2)));
    Map.of(
            "neg", "Neg",
            "abs", "Abs",
            "sign", "Sign",
            "sqrt", "Sqrt",
            "reciprocal", "Reciprocal",
            "exp", "Exp",
            "log", "Log",
            "sigmoid", "Sigmoid",
            "relu", "Relu")
        .forEach((name, type) -> single(all, name, type));
    Map.of("sin", "Sin", "cos", "Cos", "tanh", "Tanh", "erf", "Erf")
        .forEach((name, type) -> single(all, name, type));
    all.put("floor", to -> rounded(to, "Floor"));
    all.put("ceil", to -> rounded(to, "Ceil"));
    all.put("square", to -> to.mul(to.typed(0), to.typed(0)));
    all.put("rsqrt", to -> to.node("Reciprocal", to.node("Sqrt", to.typed(0))));
    all.put("expm1", ElementFormulas::expMinusOne);
    all.put("log1p", ElementFormulas::logOfOnePlus);
    all.put("log_sigmoid", to -> logSigmoid(to, to.typed(0)));
    all.put("silu", to -> to.mul(to.typed(0), to.node("Sigmoid", to.typed(0))));
    all.put("leaky_relu", to -> scaled(to, "LeakyRelu", "negative_slope", 0.01));
    all.put("elu", to -> scaled(to, "Elu", "alpha", 1));
    all.put("gelu", ElementFormulas::gelu);
    all.put("softplus", ElementFormulas::softplus);
    all.put("clamp", ElementFormulas::clamp);
    all.put("dropout", ElementFormulas::dropout);
    all.put("identity", ElementFormulas::same);
    all.put("detach", ElementFormulas::same);
    all.put("cast", to -> to.typed(0));
  }

  private static void pair(Map<String, Formula> all, String name, String type) {
    all.put(name, to -> to.node(type, to.typed(0), to.typed(1)));
  }

  private static void single(Map<String, Formula> all, String name, String type) {
    all.put(name, to -> to.node(type, to.typed(0)));
  }

  private static void compared(Map<String, Formula> all, String name, String type) {
    all.put(name, to -> comparison(to, type));
  }

  private static String comparison(OperationWriter to, String type) {
    TracedValue a = to.inputs().get(0);
    TracedValue b = to.inputs().get(1);
    DType common =
        Promotion.result(
            List.of(new TensorType(a.dtype(), a.shape()), new TensorType(b.dtype(), b.shape())));
    // ONNX orders no booleans.
    DType ordered = common == DType.BOOL ? DType.INT32 : OperationWriter.wide(common);
    return to.node(
        type, to.cast(a.name(), a.dtype(), ordered), to.cast(b.name(), b.dtype(), ordered));
  }

  private static String same(OperationWriter to) {
    return to.node("Identity", to.in(0));
  }

  private static String rounded(OperationWriter to, String type) {
    return to.output().dtype().isFloating() ? to.node(type, to.in(0)) : same(to);
  }

  private static String scaledSecond(OperationWriter to) {
    return to.times(to.typed(1), to.attributes().number(to.operation(), "alpha", 1));
  }

  private static String scaled(OperationWriter to, String type, String attribute, double usual) {
    double value = to.attributes().number(to.operation(), attribute, usual);
    return to.node(type, Map.of("alpha", value), to.typed(0));
  }

  private static String power(OperationWriter to) {
    String exponent =
        to.has(1) ? to.typed(1) : to.number(to.attributes().number(to.operation(), "exponent", 1));
    return to.node("Pow", to.typed(0), exponent);
  }

  /** Writes e^x - 1; for small x as 2 t / (1 - t) with t = tanh(x / 2). */
  private static String expMinusOne(OperationWriter to) {
    String x = to.typed(0);
    String t = to.node("Tanh", to.times(x, 0.5));
    String near = to.div(to.times(t, 2), to.sub(to.number(1), t));
    return to.where(isSmall(to, x), near, to.sub(to.node("Exp", x), to.number(1)));
  }

  private static String isSmall(OperationWriter to, String x) {
    return to.node("Less", to.node("Abs", x), to.number(SMALL));
  }

  /** Writes log(1 + x) of any value. */
  static String logOfOnePlus(OperationWriter to) {
    return logOfOnePlus(to, to.typed(0));
  }

  /** Writes log(1 + x); for small x times x / ((1 + x) - 1), which undoes the rounding of 1 + x. */
  static String logOfOnePlus(OperationWriter to, String x) {
    String one = to.number(1);
    String sum = to.add(x, one);
    String rounded = to.sub(sum, one);
    String log = to.node("Log", sum);
    String zero = to.node("Equal", rounded, to.number(0));
    String divisor = to.where(zero, one, rounded);
    String near = to.where(zero, x, to.div(to.mul(log, x), divisor));
    return to.where(isSmall(to, x), near, log);
  }

  /** Writes -softplus(-x). */
  static String logSigmoid(OperationWriter to, String x) {
    return to.node("Neg", to.node("Softplus", to.node("Neg", x)));
  }

  private static String gelu(OperationWriter to) {
    String x = to.typed(0);
    String inner;
    if (to.attributes().text(to.operation(), "approximate", "none").equals("none")) {
      inner = to.node("Erf", to.div(x, to.number(SQRT_2)));
    } else {
      String cube = to.times(to.mul(to.mul(x, x), x), 0.044715);
      inner = to.node("Tanh", to.times(to.add(cube, x), SQRT_2 / Math.sqrt(Math.PI)));
    }
    return to.mul(to.times(x, 0.5), to.add(inner, to.number(1)));
  }

  private static String softplus(OperationWriter to) {
    double beta = to.attributes().number(to.operation(), "beta", 1);
    double threshold = to.attributes().number(to.operation(), "threshold", 20);
    String x = to.typed(0);
    String z = to.times(x, beta);
    String soft = to.div(to.node("Softplus", z), to.number(beta));
    return to.where(to.node("Greater", z, to.number(threshold)), x, soft);
  }

  private static String clamp(OperationWriter to) {
    String min = bound(to, "min");
    String max = bound(to, "max");
    return max.isEmpty()
        ? to.node("Clip", to.typed(0), min)
        : to.node("Clip", to.typed(0), min, max);
  }

  /** Returns the name of a bound; empty if there is none. */
  private static String bound(OperationWriter to, String name) {
    return to.attributes().has(name)
        ? to.number(to.attributes().number(to.operation(), name, 0))
        : "";
  }

  private static String dropout(OperationWriter to) {
    double p = to.attributes().number(to.operation(), "p", 0.5);
    if (to.has(1)) {
      return to.div(to.mul(to.in(0), to.in(1)), to.number(1 - p));
    }
    if (p != 0) {
      throw to.bad("draws random numbers; call eval() before the export");
    }
    return same(to);
  }
}
