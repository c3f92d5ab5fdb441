package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.List;

/**
 * Records everything that a worker does for calls, started and stopped from afar. Profiles may
 * nest: each sees what happens between its own start and stop.
 *
 * <pre>{@code
 * try (RRef<WorkerProfile> profile = rrefs.remote("w1", WorkerProfile::start)) {
 *   profile.creation().join(); // From here on it records.
 *   ...
 *   List<Event> events = profile.sync(WorkerProfile::stop);
 * } // If it was not stopped, it is now.
 * }</pre>
 *
 * <p>Threads: safe.
 */
@RemoteFunctions
public final class WorkerProfile implements AutoCloseable {
  private final Profile profile;

  private WorkerProfile(Profile profile) {
    this.profile = profile;
  }

  /** Starts recording the worker that is called. */
  public static WorkerProfile start() {
    return new WorkerProfile(Profiler.of(Grid.current()).startWorker());
  }

  /** Starts recording the worker that is called, argument shapes and memory included. */
  public static WorkerProfile startDetailed() {
    return new WorkerProfile(Profiler.of(Grid.current()).startWorker(Detail.values()));
  }

  /** Returns what was recorded until now. */
  public List<Event> events() {
    return profile.events();
  }

  /** Stops recording and returns what was recorded. */
  public List<Event> stop() {
    profile.close();
    return profile.events();
  }

  @Override
  public void close() {
    profile.close();
  }
}
