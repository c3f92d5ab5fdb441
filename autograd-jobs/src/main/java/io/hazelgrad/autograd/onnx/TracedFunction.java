package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.OperationTrace;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The computation of a function for one set of examples. Values have numbers: first the inputs,
 * then constants and results in the order of their first use. A tensor object is one value, however
 * many variables hold it.
 *
 * @param values the tensors by number
 * @param inputs the number of inputs among them
 * @param steps the operations in their order
 * @param outputs the numbers of the results, by name
 */
record TracedFunction(
    List<Tensor> values, int inputs, List<Step> steps, Map<String, Integer> outputs) {
  /**
   * An operation with the numbers of its values.
   *
   * @param more the further outputs by name
   */
  record Step(
      String operation,
      Attributes attributes,
      List<Integer> inputs,
      int output,
      Map<String, Integer> more) {}

  /** Runs a function without gradients and numbers what it computed. */
  static TracedFunction of(
      Map<String, Tensor> examples,
      Function<Map<String, Variable>, ? extends Map<String, Variable>> function) {
    Map<String, Variable> given = new LinkedHashMap<>();
    examples.forEach((name, example) -> given.put(name, Variable.of(example)));
    Map<String, Variable> results;
    List<OperationTrace.Entry> entries;
    try (OperationTrace trace = OperationTrace.begin()) {
      results = NoGrad.within(() -> function.apply(given));
      entries = trace.entries();
    }
    Numbering numbering = new Numbering();
    examples.values().forEach(numbering::number);
    List<Step> steps = new ArrayList<>();
    for (OperationTrace.Entry entry : entries) {
      List<Integer> inputs = entry.inputs().stream().map(numbering::number).toList();
      int known = numbering.values.size();
      int output = numbering.number(entry.output());
      Map<String, Integer> more = new TreeMap<>();
      new TreeMap<>(entry.more())
          .forEach(
              (name, tensor) -> {
                int value = numbering.number(tensor);
                if (value >= known) { // Otherwise it is one of the inputs.
                  more.put(name, value);
                }
              });
      if (output >= known) { // Otherwise the operation has returned its input.
        steps.add(new Step(entry.operation(), entry.attributes(), inputs, output, more));
      }
    }
    Map<String, Integer> outputs = new LinkedHashMap<>();
    results.forEach((name, result) -> outputs.put(name, numbering.number(result.value())));
    return new TracedFunction(numbering.values, examples.size(), steps, outputs);
  }

  /** Returns whether another trace has the same operations on the same values. */
  boolean hasStructureOf(TracedFunction other) {
    if (values.size() != other.values.size()
        || steps.size() != other.steps.size()
        || !outputs.equals(other.outputs)) {
      return false;
    }
    for (int i = 0; i < steps.size(); i++) {
      Step a = steps.get(i);
      Step b = other.steps.get(i);
      if (!a.operation().equals(b.operation())
          || !a.inputs().equals(b.inputs())
          || a.output() != b.output()
          || !a.attributes().asMap().keySet().equals(b.attributes().asMap().keySet())) {
        return false;
      }
    }
    return true;
  }

  private static final class Numbering {
    final List<Tensor> values = new ArrayList<>();
    private final IdentityHashMap<Tensor, Integer> numbers = new IdentityHashMap<>();

    int number(Tensor tensor) {
      return numbers.computeIfAbsent(
          tensor,
          t -> {
            values.add(t);
            return values.size() - 1;
          });
    }
  }
}
