package io.hazelgrad.grid.graph;

import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * A graph as a list of steps, each after the steps whose results it reads. Values are in numbered
 * slots: first the inputs, then the constants, then one for each step.
 *
 * @param inputs the placeholders that the outputs need
 * @param constants the constants and trained variables that the outputs need
 * @param steps the computation
 * @param outputs the names of the results
 * @param outputSlots the slots of the results
 */
record GraphProgram(
    List<GraphInput> inputs,
    List<Tensor> constants,
    List<GraphStep> steps,
    List<String> outputs,
    List<Integer> outputSlots) {
  int slots() {
    return inputs.size() + constants.size() + steps.size();
  }

  /** Returns for each slot the index of the last step that reads it; -1 if none does. */
  int[] lastUses() {
    int[] last = new int[slots()];
    Arrays.fill(last, -1);
    for (int i = 0; i < steps.size(); i++) {
      for (int slot : steps.get(i).inputs()) {
        last[slot] = i;
      }
    }
    for (int slot : outputSlots) {
      last[slot] = steps.size(); // An output is not freed before the end.
    }
    return last;
  }
}
