package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.onnx.operators.OnnxKernel.Operator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** The operators that a model may have, by ONNX's names. None loops or draws random numbers. */
public final class OnnxOperators {
  private static final Map<String, Operator> ALL = new HashMap<>();

  static {
    ElementOperators.addTo(ALL);
    ReductionOperators.addTo(ALL);
    ShapeOperators.addTo(ALL);
    IndexOperators.addTo(ALL);
    LayerOperators.addTo(ALL);
    SequenceOperators.addTo(ALL);
  }

  private OnnxOperators() {}

  /** Checks a node with that many inputs and returns its computation. */
  public static OnnxKernel compile(OnnxNode node, int inputs) {
    Operator operator = ALL.get(node.type());
    if (operator == null) {
      throw node.unsupported("is no operator that runs here; these do: " + names());
    }
    if (inputs < operator.least() || inputs > operator.most()) {
      throw node.unsupported(
          "has %d inputs; it runs here with %d to %d"
              .formatted(inputs, operator.least(), operator.most()));
    }
    if (node.outputs() > operator.outputs()) {
      throw node.unsupported(
          "has %d outputs; %d of them exist here".formatted(node.outputs(), operator.outputs()));
    }
    return operator.compiler().apply(node);
  }

  public static SortedSet<String> names() {
    return new TreeSet<>(ALL.keySet());
  }
}
