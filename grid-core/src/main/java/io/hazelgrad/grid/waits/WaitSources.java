package io.hazelgrad.grid.waits;

import java.util.List;
import java.util.function.Supplier;

/**
 * A worker's collection of what its modules know of its waits; extensions get it as a service. The
 * suppliers are called when somebody asks, on any thread, and do not wait.
 */
public interface WaitSources {
  /** Adds what a module knows of collectives or barriers. */
  void addMeetings(Supplier<List<Meeting>> meetings);

  /** Adds what a module knows of training steps. */
  void addSteps(Supplier<List<TrainingSteps>> steps);
}
