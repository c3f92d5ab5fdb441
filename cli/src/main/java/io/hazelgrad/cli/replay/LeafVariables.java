package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Tensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The leaves of one worker. They travel as {@code {"parameters": {name: T}, "constants": {name:
 * T}}}; parameters need gradients, constants do not.
 */
final class LeafVariables {
  private LeafVariables() {}

  /** Reads the leaves from the text in which they travel. */
  static Map<String, Variable> of(String json) {
    JsonFields fields = JsonFields.of(ProgramFile.tree(json), "leaves");
    Map<String, Variable> variables = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> leaf : fields.objectOrEmpty("parameters")) {
      variables.put(
          leaf.getKey(), Variable.parameter(TensorJson.read(leaf.getValue(), leaf.getKey())));
    }
    for (Map.Entry<String, JsonNode> leaf : fields.objectOrEmpty("constants")) {
      variables.put(leaf.getKey(), Variable.of(TensorJson.read(leaf.getValue(), leaf.getKey())));
    }
    return variables;
  }

  /** Checks the leaves of a scenario and returns, by worker, the text in which they travel. */
  static Map<String, String> read(JsonFields scenario) {
    Map<String, Set<String>> constants = constants(scenario);
    Map<String, String> texts = new HashMap<>();
    for (Map.Entry<String, JsonNode> of : scenario.objectOrEmpty("leaves")) {
      String worker = of.getKey();
      Set<String> constant = constants.getOrDefault(worker, Set.of());
      ObjectNode text = JsonNodeFactory.instance.objectNode();
      ObjectNode parameters = text.putObject("parameters");
      ObjectNode others = text.putObject("constants");
      String where = scenario.where() + ", leaf " + worker + ".";
      JsonFields leaves = JsonFields.of(of.getValue(), scenario.where() + ", leaves of " + worker);
      for (Map.Entry<String, JsonNode> leaf : leaves.node().properties()) {
        Tensor tensor = TensorJson.read(leaf.getValue(), where + leaf.getKey());
        boolean needsGradient = !constant.contains(leaf.getKey());
        if (needsGradient && !tensor.dtype().isFloating()) {
          throw new BadProgramException(where + leaf.getKey() + ": integers can be constants only");
        }
        (needsGradient ? parameters : others).set(leaf.getKey(), leaf.getValue());
      }
      texts.put(worker, text.toString());
    }
    return texts;
  }

  private static Map<String, Set<String>> constants(JsonFields scenario) {
    Map<String, Set<String>> constants = new HashMap<>();
    if (scenario.has("constants")) {
      JsonFields byWorker =
          JsonFields.of(scenario.node().get("constants"), scenario.where() + ", \"constants\"");
      for (Map.Entry<String, JsonNode> entry : byWorker.node().properties()) {
        constants.put(entry.getKey(), new HashSet<>(byWorker.texts(entry.getKey())));
      }
    }
    return constants;
  }
}
