package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import java.util.List;

/**
 * Records all calls that a worker makes and serves; started and stopped from another worker.
 * Profiles may nest. Threads: safe.
 *
 * <pre>{@code
 * try (RRef<WorkerProfile> profile = rrefs.remote("w1", WorkerProfile::start)) {
 *   profile.creation().join(); // From here on it records.
 *   ...
 *   List<Event> events = profile.sync(WorkerProfile::stop);
 * } // Closing the reference stops the profile, too.
 * }</pre>
 */
@RemoteFunctions
public final class WorkerProfile implements AutoCloseable {
  private final Profile profile;

  /** The events until {@link #halt}; empty before. */
  private volatile List<Event> halted = List.of();

  private WorkerProfile(Profile profile) {
    this.profile = profile;
  }

  /** Starts recording the called worker. */
  public static WorkerProfile start() {
    return new WorkerProfile(Profiler.of(Grid.current()).startWorker());
  }

  /** Starts recording the called worker, with argument shapes and memory. */
  public static WorkerProfile startDetailed() {
    return new WorkerProfile(Profiler.of(Grid.current()).startWorker(Detail.values()));
  }

  /** Returns the events so far. */
  public List<Event> events() {
    return profile.events();
  }

  /** Stops recording and returns the events. */
  public List<Event> stop() {
    profile.close();
    return profile.events();
  }

  /** Stops recording and returns the number of events, without calls that have not ended. */
  public synchronized int halt() {
    if (halted.isEmpty()) {
      halted = stop();
    }
    return halted.size();
  }

  /** Returns at most so many events until {@link #halt}, by their start, from an index on. */
  public List<Event> page(int from, int atMost) {
    List<Event> all = halted;
    int begin = Math.max(0, Math.min(from, all.size()));
    int end = (int) Math.min(all.size(), begin + Math.max(0L, atMost));
    return List.copyOf(all.subList(begin, end));
  }

  /** Returns the number of events beyond {@link Profiler#MAX_EVENTS}, which were dropped. */
  public long dropped() {
    return profile.dropped();
  }

  /** Returns the called worker's {@link System#nanoTime()}, to compare clocks. */
  public static long clock() {
    return System.nanoTime();
  }

  @Override
  public void close() {
    profile.close();
  }
}
