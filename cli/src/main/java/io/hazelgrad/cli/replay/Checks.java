package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/**
 * What the check steps of a program saw: values, and the gradients of every worker in the context
 * around the step.
 *
 * <p>Threads: safe.
 */
final class Checks {
  private final Grid grid;
  private final List<String> workers;
  private final ObjectNode seen = JsonNodeFactory.instance.objectNode();

  Checks(Grid grid, List<String> workers) {
    this.grid = grid;
    this.workers = workers;
  }

  /** Records values, and asks every worker for its gradients in this thread's context. */
  void record(String label, Map<String, Variable> values) {
    ObjectNode check = JsonNodeFactory.instance.objectNode();
    ObjectNode held = check.putObject("values");
    values.forEach((name, variable) -> held.set(name, TensorJson.write(variable.value())));
    ObjectNode grads = check.putObject("grads");
    if (Autograd.on(grid).current() != null) {
      Function<Map<String, Tensor>> gradients = Function.of(ReplayFunctions::gradients);
      for (String worker : workers) {
        Map<String, Tensor> found = grid.rpc().sync(worker, gradients);
        if (!found.isEmpty()) {
          ObjectNode own = grads.putObject(worker);
          found.forEach((leaf, gradient) -> own.set(leaf, TensorJson.write(gradient)));
        }
      }
    }
    synchronized (this) {
      seen.set(label, check);
    }
  }

  /** Returns all checks by label, as JSON. */
  synchronized String json() {
    return seen.toString();
  }
}
