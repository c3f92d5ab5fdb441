package io.hazelgrad.grid.graph;

import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.Op;
import org.nd4j.linalg.api.ops.impl.transforms.floating.RSqrt;
import org.nd4j.linalg.api.ops.impl.transforms.floating.Sqrt;
import org.nd4j.linalg.api.ops.impl.transforms.same.Abs;
import org.nd4j.linalg.api.ops.impl.transforms.same.Ceil;
import org.nd4j.linalg.api.ops.impl.transforms.same.Cube;
import org.nd4j.linalg.api.ops.impl.transforms.same.Floor;
import org.nd4j.linalg.api.ops.impl.transforms.same.Negative;
import org.nd4j.linalg.api.ops.impl.transforms.same.Reciprocal;
import org.nd4j.linalg.api.ops.impl.transforms.same.Round;
import org.nd4j.linalg.api.ops.impl.transforms.same.Sign;
import org.nd4j.linalg.api.ops.impl.transforms.same.Square;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Cos;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Erf;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Erfc;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Exp;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Expm1;
import org.nd4j.linalg.api.ops.impl.transforms.strict.GELU;
import org.nd4j.linalg.api.ops.impl.transforms.strict.HardSigmoid;
import org.nd4j.linalg.api.ops.impl.transforms.strict.HardTanh;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Log;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Log1p;
import org.nd4j.linalg.api.ops.impl.transforms.strict.LogSigmoid;
import org.nd4j.linalg.api.ops.impl.transforms.strict.PreciseGELU;
import org.nd4j.linalg.api.ops.impl.transforms.strict.SELU;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Sigmoid;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Sin;
import org.nd4j.linalg.api.ops.impl.transforms.strict.SoftPlus;
import org.nd4j.linalg.api.ops.impl.transforms.strict.SoftSign;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Swish;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Tan;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Tanh;
import org.nd4j.linalg.factory.Nd4j;

/** The element-wise functions of graphs. They take floating-point types and keep them. */
final class ElementTransforms {
  private static final Map<String, BiFunction<INDArray, INDArray, Op>> OPS =
      Map.ofEntries(
          Map.entry("neg", Negative::new),
          Map.entry("abs", Abs::new),
          Map.entry("sign", Sign::new),
          Map.entry("square", Square::new),
          Map.entry("cube", Cube::new),
          Map.entry("floor", Floor::new),
          Map.entry("ceil", Ceil::new),
          Map.entry("round", Round::new),
          Map.entry("Reciprocal", Reciprocal::new),
          Map.entry("sqrt", Sqrt::new),
          Map.entry("rsqrt", RSqrt::new),
          Map.entry("exp", Exp::new),
          Map.entry("expm1", Expm1::new),
          Map.entry("log", Log::new),
          Map.entry("log1p", Log1p::new),
          Map.entry("sin", Sin::new),
          Map.entry("cos", Cos::new),
          Map.entry("tan", Tan::new),
          Map.entry("erf", Erf::new),
          Map.entry("erfc", Erfc::new),
          Map.entry("tanh", Tanh::new),
          Map.entry("sigmoid", Sigmoid::new),
          Map.entry("logsigmoid", LogSigmoid::new),
          Map.entry("hard_sigmoid", HardSigmoid::new),
          Map.entry("hardtanh", HardTanh::new),
          Map.entry("selu", SELU::new),
          Map.entry("gelu", GELU::new),
          Map.entry("precise_gelu", PreciseGELU::new),
          Map.entry("softplus", SoftPlus::new),
          Map.entry("softsign", SoftSign::new),
          Map.entry("swish", Swish::new));

  private ElementTransforms() {}

  static Set<String> names() {
    return OPS.keySet();
  }

  static INDArray run(GraphStep step, INDArray x) {
    BiFunction<INDArray, INDArray, Op> op = OPS.get(step.op());
    if (op == null) {
      throw new IllegalStateException("not checked: " + step);
    }
    INDArray result = Nd4j.createUninitialized(x.dataType(), x.shape(), 'c');
    return Nd4j.getExecutioner().exec(op.apply(x, result));
  }
}
