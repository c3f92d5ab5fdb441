package io.hazelgrad.grid.waits;

import java.util.List;
import java.util.Map;

/**
 * The answer of one worker to the question what it waits for.
 *
 * @param worker its name
 * @param waits its calls, threads and permits that have lasted for long
 * @param meetings the collectives and barriers that it takes part in
 * @param steps its training steps, one entry for each training
 * @param lost the names of the workers that it lost within the last minute, with the milliseconds
 *     since
 */
public record WorkerReport(
    String worker,
    List<Wait> waits,
    List<Meeting> meetings,
    List<TrainingSteps> steps,
    Map<String, Long> lost) {
  /** Copies the collections. */
  public WorkerReport {
    waits = List.copyOf(waits);
    meetings = List.copyOf(meetings);
    steps = List.copyOf(steps);
    lost = Map.copyOf(lost);
  }
}
