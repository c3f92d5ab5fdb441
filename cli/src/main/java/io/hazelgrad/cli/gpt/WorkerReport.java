package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/**
 * The result of a {@link TrainingTask}, counted by its worker.
 *
 * @param losses the loss of each step, before the step
 * @param pid the process of the worker
 * @param rows the number of rows that it computed
 * @param bytes the number of bytes that it sent to other workers
 * @param state the trained parameters of this worker, if the task wants them
 */
@RemoteValue
record WorkerReport(
    List<Double> losses, long pid, long rows, long bytes, Map<String, Tensor> state) {
  WorkerReport {
    losses = List.copyOf(losses);
    state = Map.copyOf(state);
  }
}
