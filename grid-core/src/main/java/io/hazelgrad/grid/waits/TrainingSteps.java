package io.hazelgrad.grid.waits;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The parts of the training steps of one worker in time.
 *
 * @param training the name of the training, the same on all of its workers
 * @param step the number of steps that are made
 * @param millisSinceStep the time since the last of them
 * @param milliseconds the mean duration of each part of a step by its name: {@code data}, {@code
 *     forward}, {@code backward}, {@code waiting} for the other workers, {@code transfer} and
 *     {@code update}; {@code program} is the time between two steps of a loop that the program has
 *     written itself
 */
public record TrainingSteps(
    String training, long step, long millisSinceStep, Map<String, Double> milliseconds) {
  /** The part in which a worker waits for the others. */
  public static final String WAITING = "waiting";

  /** The part in which gradients travel. */
  public static final String TRANSFER = "transfer";

  /** The names of the parts, in the order in which people read them. */
  public static final List<String> PARTS =
      List.of("data", "forward", "backward", WAITING, TRANSFER, "update", "program");

  /** Copies the parts, in the order of their names. */
  public TrainingSteps {
    milliseconds = Collections.unmodifiableMap(new TreeMap<>(milliseconds));
  }

  /** Returns the time that the worker needs for its own part of a step, without the others. */
  public double ownMilliseconds() {
    return milliseconds.entrySet().stream()
        .filter(it -> !it.getKey().equals(WAITING) && !it.getKey().equals(TRANSFER))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** Returns the same steps as they are seen a while later. */
  public TrainingSteps later(Duration since) {
    return new TrainingSteps(training, step, millisSinceStep + since.toMillis(), milliseconds);
  }

  /** Returns the duration of one part; 0 if it was not measured. */
  public double milliseconds(String part) {
    return milliseconds.getOrDefault(part, 0.0);
  }
}
