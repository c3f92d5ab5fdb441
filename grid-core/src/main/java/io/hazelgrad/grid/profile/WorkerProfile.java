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

  /** What was recorded until it was halted; empty before. */
  private volatile List<Event> halted = List.of();

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

  /**
   * Stops recording and returns how much was recorded; {@link #page} gives it in parts, where it
   * may be too much for one message. Calls that have not ended by now are not among it.
   */
  public synchronized int halt() {
    if (halted.isEmpty()) {
      halted = stop();
    }
    return halted.size();
  }

  /**
   * Returns a part of what was recorded until {@link #halt}, in the order of its beginning.
   *
   * @param from how many to leave out before
   * @param atMost how many to return, fewer at the end
   */
  public List<Event> page(int from, int atMost) {
    List<Event> all = halted;
    int begin = Math.max(0, Math.min(from, all.size()));
    int end = (int) Math.min(all.size(), begin + Math.max(0L, atMost));
    return List.copyOf(all.subList(begin, end));
  }

  /** Returns how many events found no room, see {@link Profiler#MAX_EVENTS}. */
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
