package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Device;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A SameDiff graph as a list of steps, each after the steps whose results it reads. Values are in
 * numbered slots: first the inputs, then the constants and parameters, then one for each step.
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
record SameDiffProgram(
    List<GraphInput> inputs,
    Map<String, Variable> fixed,
    List<GraphStep> steps,
    List<int[]> dropped,
    List<String> outputs,
    List<Integer> outputSlots)
    implements GraphProgram {
  static SameDiffProgram of(
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
    return new SameDiffProgram(inputs, fixed, steps, dropped, outputs, outputSlots);
  }

  @Override
  public Map<String, Variable> parameters() {
    Map<String, Variable> parameters = new LinkedHashMap<>(fixed);
    parameters.values().removeIf(variable -> !variable.requiresGrad());
    return parameters;
  }

  @Override
  public List<Variable> compute(List<Variable> given, boolean recorded) {
    Device device = given.isEmpty() ? Device.CPU : given.get(0).value().device();
    @Nullable Variable[] slots = new Variable[inputs.size() + fixed.size() + steps.size()];
    int next = 0;
    for (Variable input : given) {
      slots[next++] = input;
    }
    for (Variable variable : fixed.values()) {
      slots[next++] = (recorded ? variable : variable.detach()).to(device);
    }
    for (int i = 0; i < steps.size(); i++) {
      steps.get(i).run(slots);
      for (int slot : dropped.get(i)) {
        slots[slot] = null;
      }
    }
    return outputSlots.stream()
        .map(slot -> Objects.requireNonNull(slots[slot], "an output"))
        .toList();
  }
}
