package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the driver and the workers call on each other to run a program. Steps travel as text.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class ReplayFunctions {
  /** The leaves of each worker that lives in this process, by its id. */
  private static final Map<Long, Leaves> LEAVES = new ConcurrentHashMap<>();

  private ReplayFunctions() {}

  /** Replaces the leaves of this worker. */
  public static void setLeaves(String json) {
    LEAVES.put(Grid.current().worker().id(), Leaves.of(json));
  }

  /** Runs a program here and returns its checks by label, as JSON. */
  public static String program(String json, List<String> workers) {
    Grid grid = Grid.current();
    Checks checks = new Checks(grid, workers);
    List<Step> steps = StepReader.steps(ProgramFile.tree(json), "program", new HashSet<>());
    new Interpreter(grid, leaves(grid), Map.of(), checks).run(steps);
    return checks.json();
  }

  /** Runs the steps of a call with its arguments, and returns a variable or an RRef. */
  public static Object body(String json, List<Object> arguments) {
    Grid grid = Grid.current();
    JsonNode call = ProgramFile.tree(json);
    Body body = StepReader.body(call, "body", new HashSet<>());
    Map<String, Object> names = new HashMap<>();
    for (int i = 0; i < body.params().size(); i++) {
      names.put(body.params().get(i), arguments.get(i));
    }
    Interpreter interpreter = new Interpreter(grid, leaves(grid), names, null);
    interpreter.run(body.steps());
    return interpreter.value(body.result());
  }

  /** Returns the gradients of this worker's leaves in the caller's context, by name. */
  public static Map<String, Tensor> gradients() {
    Grid grid = Grid.current();
    Map<String, Tensor> gradients = new LinkedHashMap<>();
    Context context = Autograd.on(grid).current();
    if (context != null) {
      for (Map.Entry<String, Variable> leaf : leaves(grid).entrySet()) {
        Tensor gradient = context.gradient(leaf.getValue());
        if (gradient != null) {
          gradients.put(leaf.getKey(), gradient);
        }
      }
    }
    return gradients;
  }

  private static Map<String, Variable> leaves(Grid grid) {
    return LEAVES.getOrDefault(grid.worker().id(), Leaves.NONE).variables();
  }
}
