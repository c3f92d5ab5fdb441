package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Forward;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  private static final Attributes SWAP = Attributes.of("dim0", 0, "dim1", 1);
  private static final Backend BACKEND = Catalogue.backend();

  private final JsonFields fields;

  /** Creates the case from a JSON object. */
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
    for (String name : List.of("op", "case", "dtype")) {
      line.put(name, fields.text(name));
    }
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
    Operation operation = Catalogue.get(op);
    Map<String, Tensor> named = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> input : fields.objectOrEmpty("inputs").members()) {
      String name = input.getKey();
      named.put(name, TensorJson.read(input.getValue(), "inputs " + name));
    }
    arrange(op, named);
    JsonNode given = fields.objectOrEmpty("attrs").node();
    List<String> order = new ArrayList<>(named.keySet());
    if (given.has("second_input")) {
      order.add(Math.min(1, order.size()), given.get("second_input").asText());
    }
    boolean transposed = given.has("transpose_first");
    List<Tensor> inputs = new ArrayList<>();
    for (String name : order) {
      Tensor input = named.get(name);
      if (input == null) {
        throw fields.bad("second_input", "is not an input: \"" + name + "\"");
      }
      inputs.add(transposed && inputs.isEmpty() ? transpose(input) : input);
    }

    Forward forward = operation.forward(BACKEND, inputs, attributes(given));
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.set("output", TensorJson.write(forward.output()));
    if (!forward.more().isEmpty()) {
      ObjectNode more = line.putObject("aux");
      forward.more().forEach((name, tensor) -> more.set(name, TensorJson.write(tensor)));
    }
    if (fields.has("grad_output")) {
      Set<String> constant = new HashSet<>();
      given.path("constant").forEach(name -> constant.add(name.asText()));
      boolean[] needed = new boolean[inputs.size()];
      for (int i = 0; i < needed.length; i++) {
        needed[i] =
            fields.node().get("inputs").has(order.get(i))
                && operation.differentiable(i)
                && inputs.get(i).dtype().isFloating()
                && !constant.contains(order.get(i));
      }
      Tensor gradOutput = TensorJson.read(fields.node().get("grad_output"), "grad_output");
      List<@Nullable Tensor> gradients =
          operation.backward(BACKEND, forward.saved(), gradOutput, needed);
      if (transposed && gradients.get(0) != null) {
        gradients.set(0, transpose(gradients.get(0)));
      }
      ObjectNode grads = line.putObject("grads");
      sums(order, gradients)
          .forEach((name, gradient) -> grads.set(name, TensorJson.write(gradient)));
    }
    return line;
  }

  /** Puts weights in the order of the operation; a missing {@code pos_weight} is 1. */
  private static void arrange(String op, Map<String, Tensor> named) {
    Tensor weight = op.equals("bce_with_logits") ? named.remove("weight") : null;
    if (weight != null) {
      named.putIfAbsent("pos_weight", Tensor.full(weight.dtype(), 1));
      named.put("weight", weight);
    }
  }

  /** Adds the gradients of an input that occurs twice. */
  private static Map<String, Tensor> sums(List<String> order, List<@Nullable Tensor> gradients) {
    Map<String, Tensor> sums = new LinkedHashMap<>();
    for (int i = 0; i < order.size(); i++) {
      Tensor gradient = gradients.get(i);
      if (gradient != null) {
        sums.merge(order.get(i), gradient, (a, b) -> BACKEND.binary(Backend.Binary.ADD, a, b));
      }
    }
    return sums;
  }

  private static Tensor transpose(Tensor x) {
    return Catalogue.get("transpose").forward(BACKEND, List.of(x), SWAP).output();
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
