package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.OnnxModel;
import io.hazelgrad.autograd.onnx.OnnxValue;
import java.util.List;
import java.util.Map;

/** An ONNX model as a deployed graph. */
record OnnxGraph(OnnxModel model) implements GraphProgram {
  @Override
  public List<GraphInput> inputs() {
    return model.inputs().stream()
        .map(input -> new GraphInput(input.name(), input.dtype(), input.shape()))
        .toList();
  }

  @Override
  public List<String> outputs() {
    return model.outputs().stream().map(OnnxValue::name).toList();
  }

  @Override
  public Map<String, Variable> parameters() {
    return model.parameters();
  }

  @Override
  public List<Variable> compute(List<Variable> given, boolean recorded) {
    return model.compute(given, recorded);
  }
}
