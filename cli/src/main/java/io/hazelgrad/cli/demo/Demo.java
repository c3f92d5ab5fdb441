package io.hazelgrad.cli.demo;

import io.hazelgrad.grid.GridAccess;
import java.util.List;
import java.util.Map;

/** A training of a demo. */
public interface Demo {
  /** Returns the number of steps of an epoch. */
  int stepsPerEpoch();

  /** Trains on the workers and closes all references that it created. */
  Result run(GridAccess trainer, List<String> workers, int epochs, TrainingProgress progress);

  /**
   * The outcome of a training.
   *
   * @param accuracy the accuracy on the held-out pictures, from 0 to 1
   * @param figures further figures in their order, by name
   * @param remark the further figures in words, or the empty string
   */
  record Result(double accuracy, Map<String, Double> figures, String remark) {
    Result(double accuracy) {
      this(accuracy, Map.of(), "");
    }
  }
}
