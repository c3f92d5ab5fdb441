package io.hazelgrad.grid.waits;

import java.util.List;

/**
 * The reasons why a grid is slow or stuck, at one moment.
 *
 * @param workers the names of the workers that answered
 * @param silent the names of the workers that did not
 * @param findings the reasons, the worst ones first
 * @param steps the training steps of the workers, ordered by training and worker
 */
public record Diagnosis(
    List<String> workers, List<String> silent, List<Finding> findings, List<WorkerSteps> steps) {
  /** The training steps of one worker. */
  public record WorkerSteps(String worker, TrainingSteps times) {}

  /** Copies the lists. */
  public Diagnosis {
    workers = List.copyOf(workers);
    silent = List.copyOf(silent);
    findings = List.copyOf(findings);
    steps = List.copyOf(steps);
  }
}
