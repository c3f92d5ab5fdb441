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
 * <p>The inputs are the operation's, in its order. Four attributes say something of the case:
 * {@code constant} names inputs that need no gradient, {@code second_input} an input that is also
 * the second one, with {@code transpose_first} the first input is transposed before, and {@code
 * formula} is a remark.
 */
public final class OperationCase {
  private static final Set<String> OF_THE_CASE =
      Set.of("constant", "second_input", "transpose_first", "formula");

  private static final Attributes SWAP = Attributes.of("dim0", 0, "dim1", 1);
  private static final Backend BACKEND = Catalogue.backend();

  private final JsonFields fields;

  /** Makes it of a JSON object. */
  OperationCase(JsonNode node, String where) {
    this.fields = JsonFields.of(node, where);
  }

  /**
   * Runs it and returns its line: output, further outputs and gradients, or the error.
   *
   * @throws BadProgramException if it has no name, so that no line could say whose it is
   */
  public String run() {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    for (String name : List.of("op", "case", "dtype")) {
      line.put(name, fields.text(name));
    }
    try {
      ObjectNode results = results(fields.text("op"));
      line.setAll(results);
    } catch (GridException e) {
      line.put("error", e.status() + ": " + e.getMessage());
    } catch (BadProgramException | IllegalArgumentException e) {
      line.put("error", String.valueOf(e.getMessage()));
    }
    return line.toString();
  }

  private ObjectNode results(String op) {
    Operation operation = Catalogue.get(op);
    Map<String, Tensor> named = arranged(op, tensors("inputs"));
    Map<String, JsonNode> given = new LinkedHashMap<>();
    fields.objectOrEmpty("attrs").forEach(entry -> given.put(entry.getKey(), entry.getValue()));
    List<String> order = new ArrayList<>(named.keySet());
    if (given.containsKey("second_input")) {
      order.add(Math.min(1, order.size()), given.get("second_input").asText());
    }
    boolean transposed = given.containsKey("transpose_first");
    List<Tensor> inputs = new ArrayList<>();
    for (String name : order) {
      Tensor input = named.get(name);
      if (input == null) {
        throw fields.bad("second_input", "is no input: \"" + name + "\"");
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
      given
          .getOrDefault("constant", JsonNodeFactory.instance.arrayNode())
          .forEach(name -> constant.add(name.asText()));
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

  /** Puts weights in the operation's order; one that is left out before another one is 1. */
  private static Map<String, Tensor> arranged(String op, Map<String, Tensor> named) {
    Tensor weight = named.get("weight");
    if (!op.equals("bce_with_logits") || weight == null) {
      return named;
    }
    Map<String, Tensor> arranged = new LinkedHashMap<>(named);
    arranged.putIfAbsent("pos_weight", Tensor.full(weight.dtype(), 1));
    arranged.remove("weight");
    arranged.put("weight", weight);
    return arranged;
  }

  /** Adds up the gradients of an input that is there twice. */
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

  private Map<String, Tensor> tensors(String name) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : fields.objectOrEmpty(name)) {
      tensors.put(entry.getKey(), TensorJson.read(entry.getValue(), name + " " + entry.getKey()));
    }
    return tensors;
  }

  /** What is null has its default. */
  private static Attributes attributes(Map<String, JsonNode> given) {
    Map<String, Object> values = new HashMap<>();
    given.forEach(
        (name, value) -> {
          if (!OF_THE_CASE.contains(name) && !value.isNull()) {
            values.put(name, attribute(value));
          }
        });
    return Attributes.of(values);
  }

  private static Object attribute(JsonNode node) {
    if (node.isArray()) {
      List<Object> list = new ArrayList<>();
      node.forEach(element -> list.add(attribute(element)));
      return list;
    }
    if (node.isNumber()) {
      boolean integer = node.isIntegralNumber() && node.canConvertToLong();
      return integer ? (Object) node.longValue() : (Object) node.doubleValue();
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    // Numbers that JSON has no digits for.
    return switch (node.asText()) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> node.asText();
    };
  }
}
