package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Tensor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The leaves of workers. Those of one worker travel as {@code {"leaves": {name: T}, "constants":
 * [name, ...]}}; constants need no gradients, the others do.
 */
final class LeafVariables {
  private LeafVariables() {}

  /** Reads the leaves of one worker from the text in which they travel. */
  static Map<String, Variable> of(String json) {
    return of(JsonFields.of(ProgramFile.tree(json), "leaves"), "");
  }

  private static Map<String, Variable> of(JsonFields worker, String where) {
    List<String> constants = worker.has("constants") ? worker.texts("constants") : List.of();
    Map<String, Variable> variables = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> leaf : worker.objectOrEmpty("leaves").members()) {
      String name = leaf.getKey();
      Tensor tensor = TensorJson.read(leaf.getValue(), where + name);
      boolean constant = constants.contains(name);
      if (!constant && !tensor.dtype().isFloating()) {
        throw new BadProgramException(where + name + ": integers can be constants only");
      }
      variables.put(name, constant ? Variable.of(tensor) : Variable.parameter(tensor));
    }
    return variables;
  }

  /** Checks the leaves of a scenario and returns, by worker, the text in which they travel. */
  static Map<String, String> read(JsonFields scenario) {
    JsonFields constants = scenario.objectOrEmpty("constants");
    constants.members().forEach(worker -> constants.texts(worker.getKey())); // Checks them.
    Map<String, String> texts = new HashMap<>();
    for (Map.Entry<String, JsonNode> leaves : scenario.objectOrEmpty("leaves").members()) {
      String worker = leaves.getKey();
      String where = scenario.where() + ", leaves of " + worker;
      ObjectNode text = JsonNodeFactory.instance.objectNode();
      text.set("leaves", JsonFields.of(leaves.getValue(), where).node());
      text.set("constants", constants.node().get(worker));
      var unused = of(new JsonFields(text, where), scenario.where() + ", leaf " + worker + ".");
      texts.put(worker, text.toString());
    }
    return texts;
  }
}
