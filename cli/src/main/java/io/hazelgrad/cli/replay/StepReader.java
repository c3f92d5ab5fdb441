package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads steps. A step is named by its place, such as {@code program[0].steps[2]}. */
final class StepReader {
  private final Set<String> destinations;

  private StepReader(Set<String> destinations) {
    this.destinations = destinations;
  }

  /**
   * Reads steps and adds every worker that they call to {@code destinations}.
   *
   * @throws BadProgramException if a step is not of the format
   */
  static List<Step> steps(JsonNode list, String where, Set<String> destinations) {
    return new StepReader(destinations).steps(list, where);
  }

  /** Reads the steps of a call, with its parameters. */
  static Body body(JsonNode call, String where, Set<String> destinations) {
    Fields fields = Fields.of(call, where);
    List<Step> steps = steps(fields.list("body"), where + ".body", destinations);
    return new Body(fields.texts("params"), steps, fields.text("return"));
  }

  private List<Step> steps(JsonNode list, String where) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      steps.add(step(Fields.of(list.get(i), where + "[" + i + "]")));
    }
    return steps;
  }

  private Step step(Fields step) {
    String kind = step.text("do");
    return switch (kind) {
      case "op" -> new Step.Apply(step.text("op"), step.texts("inputs"), step.text("out"));
      case "call" -> call(step, false);
      case "remote" -> call(step, true);
      case "rref" -> new Step.MakeRRef(step.text("value"), step.text("out"));
      case "to_here" -> new Step.Fetch(step.text("rref"), step.text("out"), false);
      case "local_value" -> new Step.Fetch(step.text("rref"), step.text("out"), true);
      case "context" -> new Step.InContext(steps(step.list("steps"), step.where() + ".steps"));
      case "backward" -> new Step.Backward(step.texts("roots"), step.flag("retain_graph", false));
      case "check" ->
          new Step.Check(step.text("label"), step.has("values") ? step.texts("values") : List.of());
      case "parallel" -> parallel(step);
      default -> throw step.bad("do", "is an unknown step: \"" + kind + "\"");
    };
  }

  private Step call(Fields step, boolean remote) {
    String to = step.text("to");
    destinations.add(to);
    List<String> inputs = step.texts("inputs");
    return new Step.Call(to, work(step, inputs.size()), inputs, step.text("out"), remote);
  }

  private Step.Work work(Fields step, int inputs) {
    if (step.has("op") == step.has("body")) {
      throw step.bad("op", "or \"body\" must be there, and not both");
    }
    if (step.has("op")) {
      return new Step.Operator(step.text("op"));
    }
    Body body = body(step.node(), step.where(), destinations);
    if (body.params().size() != inputs) {
      throw step.bad("params", "are " + body.params().size() + ", but inputs are " + inputs);
    }
    return new Step.Steps(step.node().toString());
  }

  private Step parallel(Fields step) {
    JsonNode list = step.list("branches");
    List<List<Step>> branches = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      if (!list.get(i).isArray()) {
        throw step.bad("branches", "must hold lists of steps");
      }
      branches.add(steps(list.get(i), step.where() + ".branches[" + i + "]"));
    }
    return new Step.Parallel(branches);
  }
}
