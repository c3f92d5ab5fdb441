package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A program of distributed autograd with the leaves of each worker. Its form is checked when it is
 * read.
 *
 * @param name the name of the scenario
 * @param workers the workers that take part
 * @param leaves by worker, the text in which its leaves travel
 * @param program the text in which the steps travel
 */
public record Scenario(
    String name, List<String> workers, Map<String, String> leaves, String program) {
  /** The name of the worker that runs programs if it takes part; else the first one does. */
  private static final String FIRST = "A";

  /** Returns the worker that runs the program. */
  public String first() {
    return workers.contains(FIRST) ? FIRST : workers.get(0);
  }

  static Scenario read(JsonNode node, String place) {
    JsonFields unnamed = JsonFields.of(node, place);
    String name = unnamed.text("name");
    JsonFields fields = new JsonFields(node, "scenario \"" + name + "\"");
    Set<String> destinations = new TreeSet<>();
    JsonNode program = fields.list("program");
    var unused = new StepReader(destinations).steps(program, fields.where() + ", step program");
    Map<String, String> leaves = LeafVariables.read(fields);
    destinations.addAll(leaves.keySet());
    return new Scenario(name, workers(fields, destinations), leaves, program.toString());
  }

  /** Returns the listed workers, or without a list those that leaves and calls name. */
  private static List<String> workers(JsonFields fields, Set<String> named) {
    if (!fields.has("workers")) {
      if (named.isEmpty()) {
        throw fields.bad("workers", "is missing");
      }
      return List.copyOf(named);
    }
    Set<String> listed = new LinkedHashSet<>(fields.texts("workers"));
    if (listed.isEmpty()) {
      throw fields.bad("workers", "must not be empty");
    }
    for (String worker : named) {
      if (!listed.contains(worker)) {
        throw fields.bad("workers", "lacks \"" + worker + "\", which the scenario uses");
      }
    }
    return List.copyOf(listed);
  }
}
