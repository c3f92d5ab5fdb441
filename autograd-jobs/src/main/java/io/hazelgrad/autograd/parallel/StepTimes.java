package io.hazelgrad.autograd.parallel;

import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.waits.TrainingSteps;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The time that a training spends in each part of its steps, on one worker. At each moment it is in
 * one part. The means of the last seconds are noted at the collective, so that {@code hazelgrad
 * why} shows them.
 *
 * <p>{@link DataParallel} and {@link Pipeline} make one of their own. A program that wants more
 * parts to be seen makes one and gives it to {@link DataParallel#of(Collective,
 * io.hazelgrad.autograd.nn.Module, DataParallelOptions, StepTimes)}:
 *
 * <pre>{@code
 * parallel.backward(times.call(Part.FORWARD, () -> model.forward(batch.x()).crossEntropy(batch.y())));
 * times.run(Part.UPDATE, () -> optimizer.step(parallel::gradient));
 * times.endStep(batch.size());
 * }</pre>
 *
 * <p>Threads: one at a time. A part costs two looks at the clock.
 */
public final class StepTimes {
  /** A part of a step; its name in lower case is that of {@link TrainingSteps}. */
  public enum Part {
    DATA,
    FORWARD,
    BACKWARD,
    WAITING,
    /** Exchanges between workers; the time in which another one was behind is WAITING. */
    TRANSFER,
    UPDATE,
    /** The rest of a loop that a program has written itself. */
    PROGRAM,
    /** Time that is not counted. */
    IDLE
  }

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  /** The means are those of about this time. */
  private static final long WINDOW_NANOS = 2_000_000_000L;

  /** Steps that follow each other more quickly are noted together. */
  private static final long NOTE_NANOS = 100_000_000L;

  private final Collective collective;
  private final String training;
  private long steps;
  private Part current;
  private long since = System.nanoTime();

  // Of the window.
  private final Map<Part, Long> nanos = new EnumMap<>(Part.class);
  private long began = since;
  private long stepsOfWindow;
  private long rows;

  // Of the last note.
  private long noted = since;
  private Map<String, Double> milliseconds = Map.of();
  private double rowsPerSecond;

  /**
   * Begins to measure.
   *
   * @param collective the workers of the training
   * @param training the name under which the steps are shown
   * @param step the number of steps that were made before
   * @param otherwise the part of all time that is not measured as another one
   */
  public StepTimes(Collective collective, String training, long step, Part otherwise) {
    this.collective = collective;
    this.training = training;
    this.steps = step;
    this.current = otherwise;
  }

  /** Begins to measure a loop that a program has written itself. */
  static StepTimes ofLoop(Collective collective) {
    return new StepTimes(collective, collective.name(), 0, Part.PROGRAM);
  }

  /** Does some work of a part, as {@link #call}. */
  public void run(Part part, Runnable work) {
    Object unused =
        call(
            part,
            () -> {
              work.run();
              return part;
            });
  }

  /** Does some work of a part, and returns its result. Afterwards the part is the one before. */
  public <T extends @Nullable Object> T call(Part part, Supplier<T> work) {
    Part before = current;
    enter(part);
    long entered = since;
    long waited = collective.nanosWaited();
    try {
      return work.get();
    } finally {
      enter(before);
      if (part == Part.TRANSFER) {
        // A round that began before may have waited for longer than this took.
        long waiting = Math.min(since - entered, collective.nanosWaited() - waited);
        nanos.merge(Part.TRANSFER, -waiting, Long::sum);
        nanos.merge(Part.WAITING, waiting, Long::sum);
      }
    }
  }

  private void enter(Part next) {
    long now = System.nanoTime();
    if (current != Part.IDLE) {
      nanos.merge(current, now - since, Long::sum);
    }
    since = now;
    current = next;
  }

  /**
   * Ends a step.
   *
   * @param rowsOfStep the rows of the whole batch, for {@link #rowsPerSecond}; 0 if not known
   */
  public void endStep(long rowsOfStep) {
    steps++;
    stepsOfWindow++;
    rows += rowsOfStep;
    if (since - noted < NOTE_NANOS && !milliseconds.isEmpty()) {
      return;
    }
    noted = since;
    milliseconds = means();
    rowsPerSecond = rows * NANOS_PER_SECOND / Math.max(1, since - began);
    collective.noteSteps(new TrainingSteps(training, steps, 0, milliseconds));
    if (since - began > WINDOW_NANOS) {
      began = since;
      nanos.clear();
      stepsOfWindow = 0;
      rows = 0;
    }
  }

  private Map<String, Double> means() {
    Map<String, Double> means = new HashMap<>();
    nanos.forEach(
        (part, sum) ->
            means.put(part.name().toLowerCase(Locale.ROOT), sum / NANOS_PER_MILLI / stepsOfWindow));
    return means;
  }

  /** Returns the mean time of each part in a step, as it was noted last; empty before. */
  public Map<String, Double> milliseconds() {
    return milliseconds;
  }

  /** Returns the rate as of the last note. */
  public double rowsPerSecond() {
    return rowsPerSecond;
  }
}
