package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.Outputs;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One run of an operation and its gradients: {@code {"op": .., "case": .., "dtype": .., "attrs":
 * {..}, "inputs": {name: tensor}, "grad_output": tensor}}.
 *
 * <p>The inputs are in the order of the operation. Four attributes belong to the case only: {@code
 * constant} names inputs that need no gradient, {@code second_input} an input that is also the
 * second one, {@code transpose_first} transposes the first input, and {@code formula} is a remark.
 */
public final class OperationCase {
  private static final Set<String> OF_THE_CASE =
      Set.of("constant", "second_input", "transpose_first", "formula");

  private final JsonFields fields;

  OperationCase(JsonNode node, String where) {
    this.fields = JsonFields.of(node, where);
  }

  /**
   * Runs the case and returns its line: output, further outputs and gradients, or the error.
   *
   * @throws BadProgramException if the case has no name
   */
  public String run() {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    Stream.of("op", "case", "dtype").forEach(name -> line.put(name, fields.text(name)));
    try {
      line.setAll(results(fields.text("op")));
    } catch (GridException e) {
      line.put("error", e.status() + ": " + e.getMessage());
    } catch (BadProgramException | IllegalArgumentException e) {
      line.put("error", String.valueOf(e.getMessage()));
    }
    return line.toString();
  }

  private ObjectNode results(String op) {
    JsonNode given = fields.objectOrEmpty("attrs").node();
    Map<String, Variable> named = inputs(op, given.path("constant"));
    List<String> order = new ArrayList<>(named.keySet());
    if (given.has("second_input")) {
      order.add(Math.min(1, order.size()), given.get("second_input").asText());
    }
    List<Variable> inputs = new ArrayList<>();
    for (String name : order) {
      Variable input = named.get(name);
      if (input == null) {
        throw fields.bad("second_input", "is not an input: \"" + name + "\"");
      }
      boolean transposed = inputs.isEmpty() && given.has("transpose_first");
      inputs.add(transposed ? input.transpose(0, 1) : input);
    }
    Outputs outputs = Variable.applyAll(op, attributes(given), inputs.toArray(Variable[]::new));
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.set("output", TensorJson.write(outputs.output().value()));
    if (!outputs.more().isEmpty()) {
      ObjectNode more = line.putObject("aux");
      outputs.more().forEach((name, tensor) -> more.set(name, TensorJson.write(tensor)));
    }
    if (fields.has("grad_output")) {
      ObjectNode grads = line.putObject("grads");
      Tensor upstream = TensorJson.read(fields.node().get("grad_output"), "grad_output");
      if (outputs.output().requiresGrad()) {
        outputs.output().mul(Variable.of(upstream)).sum().backward();
      }
      for (String name : order) {
        Tensor gradient = Objects.requireNonNull(named.get(name)).grad();
        if (gradient != null) {
          grads.set(name, TensorJson.write(gradient));
        }
      }
    }
    return line;
  }

  /** Returns the inputs in the order of the operation; a missing {@code pos_weight} is 1. */
  private Map<String, Variable> inputs(String op, JsonNode constants) {
    Set<String> constant = new HashSet<>();
    constants.forEach(name -> constant.add(name.asText()));
    Map<String, Variable> named = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> input : fields.objectOrEmpty("inputs").members()) {
      String name = input.getKey();
      Tensor tensor = TensorJson.read(input.getValue(), "inputs " + name);
      boolean needsGradient = tensor.dtype().isFloating() && !constant.contains(name);
      named.put(name, needsGradient ? Variable.parameter(tensor) : Variable.of(tensor));
    }
    Variable weight = op.equals("bce_with_logits") ? named.remove("weight") : null;
    if (weight != null) {
      named.putIfAbsent("pos_weight", Variable.of(Tensor.full(weight.value().dtype(), 1)));
      named.put("weight", weight);
    }
    return named;
  }

  /** Returns the attributes of the operation; one that is null has its default. */
  private static Attributes attributes(JsonNode given) {
    Map<String, Object> values = new HashMap<>();
    for (Map.Entry<String, JsonNode> attribute : given.properties()) {
      if (!OF_THE_CASE.contains(attribute.getKey()) && !attribute.getValue().isNull()) {
        values.put(attribute.getKey(), attribute(attribute.getValue()));
      }
    }
    return Attributes.of(values);
  }

  private static Object attribute(JsonNode node) {
    if (node.isArray()) {
      List<Object> list = new ArrayList<>();
      node.forEach(element -> list.add(attribute(element)));
      return list;
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return node.longValue();
    }
    Double number = TensorJson.number(node);
    return number == null ? node.asText() : number;
  }
}
