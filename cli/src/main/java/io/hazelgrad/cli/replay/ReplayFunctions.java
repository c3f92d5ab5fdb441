package io.hazelgrad.cli.replay;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The remote functions by which driver and workers run a program. Steps travel as text.
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class ReplayFunctions {
  /** The leaves of each worker of this process, by worker id. */
  private static final Map<Long, Map<String, Variable>> LEAVES = new ConcurrentHashMap<>();

  private ReplayFunctions() {}

  /** Replaces the leaves of this worker. */
  public static void setLeaves(String json) {
    LEAVES.put(Grid.current().worker().id(), LeafVariables.of(json));
  }

  /** Runs a program here and returns its checks by label, as JSON. */
  public static String program(String json, List<String> workers) {
    return runProgram(here(), json, workers);
  }

  /** Runs a program at a site. In a call, the call would close the references that it creates. */
  static String runProgram(ExecutionSite site, String json, List<String> workers) {
    CheckResults checks = new CheckResults(site, workers);
    new Interpreter(site, Map.of(), checks)
        .runAndClose(new StepReader(new HashSet<>()).steps(ProgramFile.tree(json), "program"));
    return checks.json();
  }

  /** Runs the steps of a call with its arguments, and returns a variable or an RRef. */
  public static Object body(String json, List<Object> arguments) {
    JsonFields call = JsonFields.of(ProgramFile.tree(json), "body");
    StepReader.CallBody body = new StepReader(new HashSet<>()).body(call);
    Map<String, Object> names = new HashMap<>();
    for (int i = 0; i < body.params().size(); i++) {
      names.put(body.params().get(i), arguments.get(i));
    }
    Interpreter interpreter = new Interpreter(here(), names, null);
    interpreter.run(body.steps());
    return interpreter.value(body.result());
  }

  /** Returns what it is given. */
  public static Object same(Object value) {
    return value;
  }

  /** Returns the gradients of this worker's leaves in the caller's context, by name. */
  public static Map<String, Tensor> gradients() {
    return here().gradients();
  }

  private static ExecutionSite here() {
    Grid grid = Grid.current();
    Worker self = grid.worker();
    return new ExecutionSite(grid, self.name(), LEAVES.getOrDefault(self.id(), Map.of()));
  }
}
