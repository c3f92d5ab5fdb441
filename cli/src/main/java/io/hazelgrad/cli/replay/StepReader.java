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
  static List<ProgramStep> steps(JsonNode list, String where, Set<String> destinations) {
    return new StepReader(destinations).steps(list, where);
  }

  /** Reads the steps of a call, with its parameters. */
  static CallBody body(JsonNode call, String where, Set<String> destinations) {
    JsonFields fields = JsonFields.of(call, where);
    List<ProgramStep> steps = steps(fields.list("body"), where + ".body", destinations);
    return new CallBody(fields.texts("params"), steps, fields.text("return"));
  }

  private List<ProgramStep> steps(JsonNode list, String where) {
    List<ProgramStep> steps = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      steps.add(step(JsonFields.of(list.get(i), where + "[" + i + "]")));
    }
    return steps;
  }

  private ProgramStep step(JsonFields step) {
    String kind = step.text("do");
    return switch (kind) {
      case "op" -> new ProgramStep.Apply(step.text("op"), step.texts("inputs"), step.text("out"));
      case "call" -> call(step, false);
      case "remote" -> call(step, true);
      case "rref" -> new ProgramStep.MakeRRef(step.text("value"), step.text("out"));
      case "to_here" -> new ProgramStep.Fetch(step.text("rref"), step.text("out"), false);
      case "local_value" -> new ProgramStep.Fetch(step.text("rref"), step.text("out"), true);
      case "context" ->
          new ProgramStep.InContext(steps(step.list("steps"), step.where() + ".steps"));
      case "backward" ->
          new ProgramStep.Backward(step.texts("roots"), step.flag("retain_graph", false));
      case "check" ->
          new ProgramStep.Check(
              step.text("label"), step.has("values") ? step.texts("values") : List.of());
      case "parallel" -> parallel(step);
      default -> throw step.bad("do", "is an unknown step: \"" + kind + "\"");
    };
  }

  private ProgramStep call(JsonFields step, boolean remote) {
    String to = step.text("to");
    destinations.add(to);
    List<String> inputs = step.texts("inputs");
    return new ProgramStep.Call(to, work(step, inputs.size()), inputs, step.text("out"), remote);
  }

  private ProgramStep.Work work(JsonFields step, int inputs) {
    if (step.has("op") == step.has("body")) {
      throw step.bad("op", "or \"body\" must be there, and not both");
    }
    if (step.has("op")) {
      return new ProgramStep.Operator(step.text("op"));
    }
    CallBody body = body(step.node(), step.where(), destinations);
    if (body.params().size() != inputs) {
      throw step.bad("params", "are " + body.params().size() + ", but inputs are " + inputs);
    }
    return new ProgramStep.Steps(step.node().toString());
  }

  private ProgramStep parallel(JsonFields step) {
    JsonNode list = step.list("branches");
    List<List<ProgramStep>> branches = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      if (!list.get(i).isArray()) {
        throw step.bad("branches", "must hold lists of steps");
      }
      branches.add(steps(list.get(i), step.where() + ".branches[" + i + "]"));
    }
    return new ProgramStep.Parallel(branches);
  }
}
