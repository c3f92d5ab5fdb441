package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel;
import io.hazelgrad.autograd.onnx.operators.OnnxNode;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A model as a list of steps, each after the steps whose results it reads. Values are in numbered
 * slots: first the inputs, then the tensors of the model, then the results of the steps.
 *
 * <p>Any number of threads may run it at once.
 *
 * @param fixed the tensors that the outputs need, by name
 * @param dropped for each step the slots that no later step reads
 * @param results the slots of the outputs
 * @param slots the number of slots
 */
record OnnxProgram(
    List<OnnxValue> inputs,
    List<OnnxValue> outputs,
    Map<String, Variable> fixed,
    List<Step> steps,
    List<int[]> dropped,
    List<Integer> results,
    int slots) {
  /** The slot of an input or output that is left out. */
  static final int NONE = -1;

  /** One node, ready to run. */
  @SuppressWarnings("ArrayRecordComponent") // Steps are not compared.
  record Step(OnnxNode node, OnnxKernel kernel, int[] inputs, int[] outputs) {
    void run(@Nullable Variable[] slots) {
      @Nullable Variable[] x = new Variable[inputs.length];
      for (int i = 0; i < x.length; i++) {
        x[i] =
            inputs[i] == NONE
                ? null
                : Objects.requireNonNull(slots[inputs[i]], "a step runs after its inputs");
      }
      List<Variable> y;
      try {
        y = kernel.run(x);
      } catch (GridException e) {
        String message = String.valueOf(e.getMessage());
        throw message.startsWith(node.toString())
            ? e
            : new GridException(e.status(), node + ": " + message, e);
      } catch (IllegalArgumentException | ArithmeticException | NegativeArraySizeException e) {
        throw new GridException(Status.BAD_ARGUMENT, node + " cannot be computed: " + e, e);
      } catch (OutOfMemoryError e) {
        throw new GridException(Status.REJECTED, node + ": no memory for its result", e);
      }
      for (int i = 0; i < outputs.length; i++) {
        if (outputs[i] != NONE) {
          slots[outputs[i]] = y.get(i);
        }
      }
    }
  }

  static OnnxProgram of(
      List<OnnxValue> inputs,
      List<OnnxValue> outputs,
      Map<String, Variable> fixed,
      List<Step> steps,
      List<Integer> results,
      int slots) {
    boolean[] used = new boolean[slots];
    results.forEach(slot -> used[slot] = true);
    int[][] dropped = new int[steps.size()][];
    for (int i = steps.size() - 1; i >= 0; i--) {
      Step step = steps.get(i);
      dropped[i] =
          Arrays.stream(step.inputs()).distinct().filter(s -> s != NONE && !used[s]).toArray();
      for (int slot : dropped[i]) {
        used[slot] = true;
      }
    }
    return new OnnxProgram(
        List.copyOf(inputs), outputs, fixed, steps, List.of(dropped), results, slots);
  }

  /**
   * Computes the outputs.
   *
   * @param recorded whether operations on the model's tensors are recorded for gradients
   */
  List<Variable> run(List<Variable> given, boolean recorded) {
    @Nullable Variable[] values = new Variable[slots];
    int next = 0;
    for (Variable input : given) {
      values[next++] = input;
    }
    for (Variable tensor : fixed.values()) {
      Variable used = recorded ? tensor : tensor.detach();
      values[next++] = given.isEmpty() ? used : used.to(given.get(0).value().device());
    }
    for (int i = 0; i < steps.size(); i++) {
      steps.get(i).run(values);
      for (int slot : dropped.get(i)) {
        values[slot] = null;
      }
    }
    List<Variable> all = new ArrayList<>();
    for (int slot : results) {
      all.add(Objects.requireNonNull(values[slot], "an output"));
    }
    return all;
  }
}
