package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.hazelgrad.autograd.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Reads steps, named like {@code program[0].steps[2]}, and notes whom calls go to. */
record StepReader(Set<String> destinations) {
  /** The steps of a call. They see the arguments under the names {@code params}. */
  record CallBody(List<String> params, List<ProgramStep> steps, String result) {}

  /** Reads the steps of a call, with its parameters. */
  CallBody body(JsonFields call) {
    List<ProgramStep> steps = steps(call.list("body"), call.where() + ".body");
    return new CallBody(call.texts("params"), steps, call.text("return"));
  }

  /** Reads steps; throws {@link BadProgramException} if one is not of the format. */
  List<ProgramStep> steps(JsonNode list, String where) {
    List<ProgramStep> steps = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      steps.add(step(JsonFields.of(list.get(i), where + "[" + i + "]")));
    }
    return steps;
  }

  private ProgramStep step(JsonFields step) {
    String kind = step.text("do");
    return switch (kind) {
      case "op" -> {
        String operator = step.text("op");
        List<String> inputs = step.texts("inputs");
        yield define(step, run -> Variable.apply(operator, run.variables(inputs)));
      }
      case "call" -> call(step, false);
      case "remote" -> call(step, true);
      case "rref" -> {
        String value = step.text("value");
        yield define(step, run -> run.share(value));
      }
      case "to_here" -> fetch(step, false);
      case "local_value" -> fetch(step, true);
      case "context" -> {
        List<ProgramStep> steps = steps(step.list("steps"), step.where() + ".steps");
        yield run -> run.inContext(steps);
      }
      case "backward" -> {
        List<String> roots = step.texts("roots");
        boolean retainGraph = step.flag("retain_graph", false);
        yield run -> run.backward(roots, retainGraph);
      }
      case "check" -> {
        String label = step.text("label");
        List<String> values = step.has("values") ? step.texts("values") : List.of();
        yield run -> run.check(label, values);
      }
      case "parallel" -> parallel(step);
      default -> throw step.bad("do", "is an unknown step: \"" + kind + "\"");
    };
  }

  /** Returns a step whose result gets the name {@code "out"}. */
  private static ProgramStep define(JsonFields step, Function<Interpreter, Object> value) {
    String out = step.text("out");
    return run -> run.define(out, value.apply(run));
  }

  private static ProgramStep fetch(JsonFields step, boolean local) {
    String rref = step.text("rref");
    return define(step, run -> run.fetch(rref, local));
  }

  private ProgramStep call(JsonFields step, boolean remote) {
    String to = step.text("to");
    destinations.add(to);
    List<String> inputs = step.texts("inputs");
    if (step.has("op") == step.has("body")) {
      throw step.bad("op", "or \"body\" must be there, and not both");
    }
    if (step.has("op")) {
      String operator = step.text("op");
      return define(step, run -> run.callOperator(to, remote, operator, inputs));
    }
    int params = body(step).params().size();
    if (params != inputs.size()) {
      throw step.bad("params", "are " + params + ", but inputs are " + inputs.size());
    }
    String body = step.node().toString();
    return define(step, run -> run.callSteps(to, remote, body, inputs));
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
    return run -> run.inParallel(branches);
  }
}
