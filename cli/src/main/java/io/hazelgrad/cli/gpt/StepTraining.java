package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.Tensor;
import java.util.Map;

/** One worker's part of a training, step by step. Not safe for several threads. */
interface StepTraining extends AutoCloseable {
  /** Makes a step and returns the loss of the whole batch before it. */
  double step(int step);

  /** Returns the number of rows that this worker has computed. */
  long rows();

  /** Returns the values of the parameters that this worker trains, by their names. */
  Map<String, Tensor> state();

  /** Returns the bytes that this worker has sent to others. */
  default long bytes() {
    return 0;
  }

  @Override
  default void close() {}
}
