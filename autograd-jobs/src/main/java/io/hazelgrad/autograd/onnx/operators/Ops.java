package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Map;

/** Short forms of frequent operations of the catalogue. */
final class Ops {
  private Ops() {}

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

  static Variable permute(Variable x, long... order) {
    return Variable.apply("permute", Attributes.of("dims", order), x);
  }

  static Variable unsqueeze(Variable x, long dim) {
    return Variable.apply("unsqueeze", Attributes.of("dim", dim), x);
  }

  static Variable squeeze(Variable x, long... dims) {
    return Variable.apply("squeeze", Attributes.of("dim", dims), x);
  }

  static Variable concat(long dim, Variable... parts) {
    return Variable.apply("concat", Attributes.of("dim", dim), parts);
  }

  static Variable where(Variable condition, Variable a, Variable b) {
    return Variable.apply("where", condition, a, b);
  }

  /** Returns a stretch along a dimension. */
  static Variable range(Variable x, long dim, long start, long end) {
    return Variable.apply(
        "slice", Attributes.of(Map.of("dim", dim, "start", start, "end", end)), x);
  }
}
