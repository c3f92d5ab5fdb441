package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/**
 * The result of a {@link TrainingTask}, counted by its worker.
 *
 * @param losses the loss of each step, before the step
 * @param pid the process of the worker
 * @param rows the number of rows that it computed
 * @param bytes the number of bytes that it sent to other workers
 */
@RemoteValue
record WorkerReport(List<Double> losses, long pid, long rows, long bytes) {
  WorkerReport {
    losses = List.copyOf(losses);
  }
}
