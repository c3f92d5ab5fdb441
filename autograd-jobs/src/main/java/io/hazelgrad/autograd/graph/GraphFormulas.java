package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;

/** SameDiff's functions of one element that take more than one operation of the catalogue. */
final class GraphFormulas {
  private static final double SELU_ALPHA = 1.6732632423543772;
  private static final double SELU_SCALE = 1.0507009873554805;

  /** The slope of ND4J's approximation of GELU. */
  private static final double GELU_SLOPE = 1.702;

  /** The cubic term of ND4J's other approximation of GELU. */
  private static final double GELU_CUBE = Math.pow(0.044715, 3);

  private GraphFormulas() {}

  /** Rounds halves away from zero, in double precision, where a half can be added exactly. */
  static Variable round(Variable x) {
    Variable magnitude = cast(Variable.apply("abs", x), DType.FLOAT64);
    Variable up = Variable.apply("floor", magnitude.add(number(magnitude, 0.5)));
    return Variable.apply("sign", x).mul(like(x, up));
  }

  /** Returns 1 - erf(x), in double precision, since a small result would lose its digits. */
  static Variable complementaryErf(Variable x) {
    Variable erf = Variable.apply("erf", cast(x, DType.FLOAT64));
    return like(x, number(erf, 1).sub(erf));
  }

  static Variable hardSigmoid(Variable x) {
    Variable line = x.mul(number(x, 0.2)).add(number(x, 0.5));
    return Variable.apply("clamp", Attributes.of("min", 0, "max", 1), line);
  }

  static Variable selu(Variable x) {
    return Variable.apply("elu", Attributes.of("alpha", SELU_ALPHA), x).mul(number(x, SELU_SCALE));
  }

  static Variable gelu(Variable x) {
    return x.mul(x.mul(number(x, GELU_SLOPE)).sigmoid());
  }

  /** Returns x (1 + tanh(z)) / 2 as x sigmoid(2 z). */
  static Variable preciseGelu(Variable x) {
    Variable z = x.add(x.mul(x).mul(x).mul(number(x, GELU_CUBE)));
    return x.mul(z.mul(number(x, Math.sqrt(8 / Math.PI))).sigmoid());
  }

  /** Returns a number in the type and on the device of x. */
  static Variable number(Variable x, double value) {
    Tensor like = x.value();
    return Variable.of(Tensor.full(like.dtype(), value).to(like.device()));
  }

  static Variable cast(Variable x, DType dtype) {
    return x.value().dtype() == dtype
        ? x
        : Variable.apply("cast", Attributes.of("dtype", dtype.name()), x);
  }

  /** Returns y in the type of x. */
  static Variable like(Variable x, Variable y) {
    return cast(y, x.value().dtype());
  }
}
