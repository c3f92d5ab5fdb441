package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes two traces of one function, with batches of different size, as a model. */
final class TraceWriter {
  /** Attributes that may differ: extents, since those of the result are written, and seeds. */
  private static final Map<String, Set<String>> MAY_DIFFER =
      Map.of(
          "dropout",
          Set.of("seed"),
          "reshape",
          Set.of("shape"),
          "expand",
          Set.of("shape"),
          "slice",
          Set.of("start", "end"));

  private final NodeWriter nodes;
  private final BatchExtents batch;
  private final TracedFunction first;
  private final TracedFunction second;
  private final IdentityHashMap<Tensor, String> parameterNames = new IdentityHashMap<>();
  private final Map<Integer, String> names = new HashMap<>();

  /** The values that operations compute. */
  private final Set<Integer> computed = new HashSet<>();

  TraceWriter(
      NodeWriter nodes,
      BatchExtents batch,
      TracedFunction first,
      TracedFunction second,
      Map<String, Tensor> parameters) {
    this.nodes = nodes;
    this.batch = batch;
    this.first = first;
    this.second = second;
    parameters.forEach((name, tensor) -> parameterNames.putIfAbsent(tensor, name));
    for (TracedFunction.Step step : first.steps()) {
      computed.add(step.output());
      computed.addAll(step.more().values());
    }
  }

  /** Returns the bytes of the model. */
  byte[] write(Map<String, Tensor> examples) {
    int number = 0;
    List<OnnxValue> inputs = new ArrayList<>();
    for (String name : examples.keySet()) {
      requireName(name);
      nodes.reserve(name);
      names.put(number, name);
      inputs.add(declared(name, number++));
    }
    first.outputs().keySet().forEach(this::requireName);
    first.outputs().keySet().forEach(nodes::reserve);
    first.steps().stream().map(TracedFunction.Step::inputs).forEach(this::constants);
    constants(List.copyOf(first.outputs().values()));
    for (int i = 0; i < first.steps().size(); i++) {
      step(first.steps().get(i), second.steps().get(i).attributes());
    }
    List<OnnxValue> outputs = new ArrayList<>();
    first
        .outputs()
        .forEach(
            (name, value) -> {
              nodes.alias(name(value), name);
              outputs.add(declared(name, value));
            });
    return nodes.model(inputs, outputs);
  }

  private void requireName(String name) {
    if (name.isEmpty() || parameterNames.containsValue(name)) {
      throw bad("\"" + name + "\" cannot name an input or output: it is empty or a parameter's");
    }
  }

  private OnnxValue declared(String name, int value) {
    TracedValue traced = traced(name, value);
    List<Long> shape = new ArrayList<>();
    for (int i = 0; i < traced.rank(); i++) {
      shape.add(traced.varies(i) ? -1 : traced.shape()[i]);
    }
    return new OnnxValue(name, traced.dtype(), shape);
  }

  private TracedValue traced(String name, int value) {
    Tensor a = first.values().get(value);
    return new TracedValue(name, a.dtype(), a.shape(), second.values().get(value).shape());
  }

  private String name(int value) {
    String name = names.get(value);
    if (name == null) {
      throw bad("a further output of an operation is used that ONNX does not have");
    }
    return name;
  }

  /** Writes the values that no operation has computed. */
  private void constants(List<Integer> values) {
    for (int value : values) {
      if (!names.containsKey(value) && !computed.contains(value)) {
        names.put(value, constant(first.values().get(value), second.values().get(value)));
      }
    }
  }

  private String constant(Tensor a, Tensor b) {
    String name = parameterNames.get(a);
    if (name != null) {
      nodes.initializer(name, a);
      return name;
    }
    if (a.equals(b)) {
      return nodes.constant(a);
    }
    double[] elements = a.toDoubles();
    double[] all = b.toDoubles();
    if (elements.length > 0
        && a.rank() == b.rank()
        && Arrays.stream(elements).allMatch(each -> each == elements[0])
        && Arrays.stream(all).allMatch(each -> each == elements[0])) {
      return nodes.node(
          "Expand",
          Map.of(),
          nodes.scalar(a.dtype(), elements[0]),
          batch.shape(a.shape(), b.shape()));
    }
    throw bad(
        "a tensor that no operation has computed depends on the batch: it is %s for one batch and %s for another; use withFixedShapes()"
            .formatted(a, b));
  }

  private void step(TracedFunction.Step step, Attributes other) {
    requireSame(step, other);
    List<TracedValue> inputs = new ArrayList<>();
    step.inputs().forEach(input -> inputs.add(traced(name(input), input)));
    Map<String, String> more = new HashMap<>();
    OperationWriter writer =
        new OperationWriter(
            nodes,
            step.operation(),
            step.attributes(),
            other,
            inputs,
            traced("", step.output()),
            batch,
            more);
    names.put(step.output(), written(writer));
    step.more()
        .forEach(
            (name, value) -> {
              String known = more.get(name);
              if (known != null) {
                names.put(value, known);
              }
            });
  }

  /** Writes an operation; 16-bit elements are computed in single precision, as here. */
  private static String written(OperationWriter to) {
    OperationWriter.Formula formula = Formulas.get(to.operation());
    DType type = to.output().dtype();
    if (to.inputs().stream().noneMatch(each -> isNarrow(each.dtype())) && !isNarrow(type)) {
      return formula.write(to);
    }
    OperationWriter wide =
        to.inFloats(
            value -> {
              DType wider = OperationWriter.wide(value.dtype());
              return value.as(to.cast(value.name(), value.dtype(), wider), wider);
            });
    return to.cast(formula.write(wide), wide.output().dtype(), type);
  }

  private static boolean isNarrow(DType dtype) {
    return dtype != OperationWriter.wide(dtype);
  }

  private void requireSame(TracedFunction.Step step, Attributes other) {
    Set<String> extents = MAY_DIFFER.getOrDefault(step.operation(), Set.of());
    Map<String, Object> others = other.asMap();
    step.attributes()
        .asMap()
        .forEach(
            (name, value) -> {
              if (!extents.contains(name) && !value.equals(others.get(name))) {
                throw bad(
                    "%s: attribute %s depends on the batch, %s and %s; use withFixedShapes()"
                        .formatted(step.operation(), name, value, others.get(name)));
              }
            });
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, "export to ONNX: " + message);
  }
}
