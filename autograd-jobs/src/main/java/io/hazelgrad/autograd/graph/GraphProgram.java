package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A graph as a list of steps, each after the steps whose results it reads. Values are in numbered
 * slots: first the inputs, then the constants and parameters, then one for each step.
 *
 * <p>Any number of calls may run it at once. They share the constants and parameters, and have all
 * other values for themselves. A value is dropped after the last step that reads it.
 *
 * @param inputs the placeholders that the outputs need
 * @param fixed the constants and parameters that the outputs need, by name
 * @param steps the computation
 * @param dropped for each step the slots that no later step reads
 * @param outputs the names of the results
 * @param outputSlots the slots of the results
 */
record GraphProgram(
    List<GraphInput> inputs,
    Map<String, Variable> fixed,
    List<GraphStep> steps,
    List<int[]> dropped,
    List<String> outputs,
    List<Integer> outputSlots) {
  static GraphProgram of(
      List<GraphInput> inputs,
      Map<String, Variable> fixed,
      List<GraphStep> steps,
      List<String> outputs,
      List<Integer> outputSlots) {
    boolean[] used = new boolean[inputs.size() + fixed.size() + steps.size()];
    outputSlots.forEach(slot -> used[slot] = true);
    List<int[]> dropped = new ArrayList<>();
    for (int i = steps.size() - 1; i >= 0; i--) {
      int[] last =
          Arrays.stream(steps.get(i).inputs()).distinct().filter(slot -> !used[slot]).toArray();
      for (int slot : last) {
        used[slot] = true;
      }
      dropped.add(0, last);
    }
    return new GraphProgram(inputs, fixed, steps, dropped, outputs, outputSlots);
  }

  /** Returns the variables that get gradients, by name. */
  Map<String, Variable> parameters() {
    Map<String, Variable> parameters = new LinkedHashMap<>(fixed);
    parameters.values().removeIf(variable -> !variable.requiresGrad());
    return parameters;
  }

  /**
   * Runs the program. With a variable among the arguments it records the operations, and the
   * results are variables; else they are tensors.
   */
  Object run(String graph, List<@Nullable Object> arguments) {
    Variable[] given = GraphArguments.bind(graph, inputs, arguments);
    boolean recorded = GraphArguments.hasVariable(arguments);
    Device device = given.length == 0 ? Device.CPU : given[0].value().device();
    @Nullable Variable[] slots = Arrays.copyOf(given, inputs.size() + fixed.size() + steps.size());
    int next = given.length;
    for (Variable variable : fixed.values()) {
      slots[next++] = (recorded ? variable : variable.detach()).to(device);
    }
    try {
      for (int i = 0; i < steps.size(); i++) {
        steps.get(i).run(slots);
        for (int slot : dropped.get(i)) {
          slots[slot] = null;
        }
      }
    } catch (GridException e) {
      throw new GridException(e.status(), "graph \"" + graph + "\": " + e.getMessage(), e);
    }
    Map<String, Object> results = new LinkedHashMap<>();
    for (int i = 0; i < outputs.size(); i++) {
      Variable value = Objects.requireNonNull(slots[outputSlots.get(i)], "an output");
      results.put(outputs.get(i), recorded ? value : value.value());
    }
    return results.size() == 1 ? results.values().iterator().next() : results;
  }
}
