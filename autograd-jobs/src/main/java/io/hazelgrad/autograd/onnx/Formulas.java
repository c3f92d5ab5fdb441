package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.autograd.ops.OperationErrors;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The operations of the catalogue by name, each as a formula of ONNX's operators. */
final class Formulas {
  private static final Map<String, Formula> ALL = new HashMap<>();

  static {
    ElementFormulas.addTo(ALL);
    ReductionFormulas.addTo(ALL);
    ShapeFormulas.addTo(ALL);
    LayerFormulas.addTo(ALL);
    WindowFormulas.addTo(ALL);
    SequenceFormulas.addTo(ALL);
    LossFormulas.addTo(ALL);
  }

  private Formulas() {}

  static Formula get(String operation) {
    Formula formula = ALL.get(operation);
    if (formula == null) {
      throw OperationErrors.bad(operation, "cannot be exported to ONNX; these can: " + names());
    }
    return formula;
  }

  static Set<String> names() {
    return new TreeSet<>(ALL.keySet());
  }
}
