package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A loaded graph of any {@link GraphFormat}. Any number of calls may run it at once. */
sealed interface GraphProgram permits OnnxGraph, SameDiffProgram {
  /** Returns the inputs, in the order in which a call passes tensors. */
  List<GraphInput> inputs();

  /** Returns the names of the results, in order. */
  List<String> outputs();

  /** Returns the variables that get gradients, by name. */
  Map<String, Variable> parameters();

  /**
   * Computes the results.
   *
   * @param given a variable for each input, all on one device
   * @param recorded whether gradients flow to the parameters
   */
  List<Variable> compute(List<Variable> given, boolean recorded);

  /**
   * Runs the program. With a variable among the arguments it records the operations, and the
   * results are variables; else they are tensors.
   */
  default Object run(String graph, List<@Nullable Object> arguments) {
    List<Variable> given = Arrays.asList(GraphArguments.bind(graph, inputs(), arguments));
    boolean recorded = GraphArguments.hasVariable(arguments);
    List<Variable> values;
    try {
      values = compute(given, recorded);
    } catch (GridException e) {
      throw new GridException(e.status(), "graph \"" + graph + "\": " + e.getMessage(), e);
    }
    if (values.size() == 1) {
      return recorded ? values.get(0) : values.get(0).value();
    }
    List<String> names = outputs();
    Map<String, Object> results = new LinkedHashMap<>();
    for (int i = 0; i < values.size(); i++) {
      Variable value = values.get(i);
      results.put(names.get(i), recorded ? value : value.value());
    }
    return results;
  }
}
