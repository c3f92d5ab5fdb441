package io.hazelgrad.cli.replay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of the check steps of a program: values, and the gradients of every worker in the
 * context around the step.
 *
 * <p>Threads: safe.
 */
final class CheckResults {
  private final ExecutionSite site;
  private final List<String> workers;
  private final ObjectNode seen = JsonNodeFactory.instance.objectNode();

  CheckResults(ExecutionSite site, List<String> workers) {
    this.site = site;
    this.workers = workers;
  }

  /** Records values, and asks every worker for its gradients in this thread's context. */
  void record(String label, Map<String, Variable> values) {
    ObjectNode check = JsonNodeFactory.instance.objectNode();
    ObjectNode held = check.putObject("values");
    values.forEach((name, variable) -> held.set(name, TensorJson.write(variable.value())));
    ObjectNode grads = check.putObject("grads");
    if (site.autograd().current() != null) {
      for (String worker : workers) {
        Map<String, Tensor> found = gradients(worker);
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

  /** Returns gradients by leaf. If a client takes a worker's part, those of both are added. */
  private Map<String, Tensor> gradients(String worker) {
    Map<String, Tensor> sums =
        new LinkedHashMap<>(site.grid().rpc().sync(worker, ReplayFunctions::gradients));
    if (!(site.grid() instanceof Grid) && worker.equals(site.name())) {
      site.gradients()
          .forEach(
              (leaf, gradient) ->
                  sums.merge(leaf, gradient, (a, b) -> Variable.of(a).add(Variable.of(b)).value()));
    }
    return sums;
  }

  synchronized String json() {
    return seen.toString();
  }
}
