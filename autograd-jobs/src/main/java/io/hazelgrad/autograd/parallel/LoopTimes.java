package io.hazelgrad.autograd.parallel;

import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.waits.TrainingSteps;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The parts of the steps of a training loop in time. They are noted at the loop's collective, so
 * that {@code hazelgrad why} shows them. At each moment the loop is in one part. Not safe for
 * several threads.
 */
final class LoopTimes {
  /** A part of a step; the name in lower case is that of {@link TrainingSteps}. */
  enum Part {
    FORWARD,
    BACKWARD,
    WAITING,
    TRANSFER,
    /** What the program does between two steps. */
    PROGRAM
  }

  private static final double NANOS_PER_MILLI = 1e6;

  /** The parts are means over about this time. */
  private static final long WINDOW_NANOS = 2_000_000_000L;

  /** Steps that follow each other more quickly are noted together. */
  private static final long NOTE_NANOS = 100_000_000L;

  private final Collective collective;
  private final Map<Part, Long> nanos = new EnumMap<>(Part.class);
  private Part current = Part.PROGRAM;
  private long since = System.nanoTime();
  private long windowBegan = since;
  private long noted = since;
  private long steps;
  private long stepsOfWindow;

  LoopTimes(Collective collective) {
    this.collective = collective;
  }

  /** Ends the current part and begins another one; returns the current one. */
  Part enter(Part next) {
    long now = System.nanoTime();
    nanos.merge(current, now - since, Long::sum);
    since = now;
    Part before = current;
    current = next;
    return before;
  }

  /** Charges some of the time that one part has taken to another one. */
  void move(Part from, Part to, long some) {
    nanos.merge(from, -some, Long::sum);
    nanos.merge(to, some, Long::sum);
  }

  /** Ends a step; the program goes on. */
  void endStep() {
    enter(Part.PROGRAM);
    steps++;
    stepsOfWindow++;
    if (since - noted < NOTE_NANOS && steps > 1) {
      return;
    }
    noted = since;
    collective.noteSteps(new TrainingSteps(collective.name(), steps, 0, milliseconds()));
    if (since - windowBegan > WINDOW_NANOS) {
      windowBegan = since;
      stepsOfWindow = 0;
      nanos.clear();
    }
  }

  private Map<String, Double> milliseconds() {
    Map<String, Double> all = new HashMap<>();
    nanos.forEach(
        (part, sum) ->
            all.put(part.name().toLowerCase(Locale.ROOT), sum / NANOS_PER_MILLI / stepsOfWindow));
    return all;
  }
}
