package io.hazelgrad.cli;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.profile.Event;
import io.hazelgrad.grid.profile.EventId;
import io.hazelgrad.grid.profile.WorkerProfile;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.rref.RRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A recording of all workers that are in the grid when it starts, by a client. What a worker did is
 * taken from its own recording, in its own time; only of one that cannot be asked from what its
 * callers saw.
 *
 * <p>Clocks: each worker says what time it has, a few times, and the answer that came fastest is
 * taken to have been given in the middle of its round trip. So the workers' times fit to each other
 * within half of that round trip.
 *
 * <p>A worker that cannot be recorded, or is lost meanwhile, is left out with a warning.
 */
final class GridTrace implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int CLOCK_READINGS = 8;
  private static final int PAGE = 1_000;

  /** What runs on one worker; its clock is ahead of ours by so much. */
  private record Recorded(RRef<WorkerProfile> profile, long aheadNanos) {}

  private final Consumer<String> warnings;
  private final Map<Worker, Recorded> recorded = new LinkedHashMap<>();

  private GridTrace(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Starts recording.
   *
   * @param warnings hears of each worker that is left out
   * @throws FailedException if no worker can be recorded
   */
  static GridTrace start(GridClient client, boolean detailed, Consumer<String> warnings) {
    GridTrace trace = new GridTrace(warnings);
    try {
      client.workers().forEach(worker -> trace.add(client, worker, detailed));
      trace.forEach((worker, each) -> Rpc.await(each.profile().creation()));
      if (trace.recorded.isEmpty()) {
        throw new FailedException("there is no worker that can be recorded");
      }
      return trace;
    } catch (Throwable e) {
      trace.close();
      throw e;
    }
  }

  private void add(GridClient client, Worker worker, boolean detailed) {
    try {
      long ahead = ahead(client.rpc().within(PATIENCE), worker); // Before it records that.
      Function<WorkerProfile> start =
          detailed ? Function.of(WorkerProfile::startDetailed) : Function.of(WorkerProfile::start);
      recorded.put(worker, new Recorded(client.rrefs().remote(worker, start), ahead));
    } catch (GridException e) {
      leftOut(worker, e);
    }
  }

  private void leftOut(Worker worker, GridException why) {
    warnings.accept("worker " + worker.name() + " is left out: " + why.getMessage());
  }

  /** Returns by how much a worker's clock is ahead of ours. */
  private static long ahead(Rpc rpc, Worker worker) {
    long fastest = Long.MAX_VALUE;
    long ahead = 0;
    for (int i = 0; i < CLOCK_READINGS; i++) {
      long sent = System.nanoTime();
      long there = rpc.sync(worker.name(), WorkerProfile::clock);
      long taken = System.nanoTime() - sent;
      if (taken < fastest) {
        fastest = taken;
        ahead = there - (sent + taken / 2);
      }
    }
    return ahead;
  }

  /** Returns how many workers are recorded. */
  int recordedWorkers() {
    return recorded.size();
  }

  /** Stops recording everywhere, and returns what was recorded, in our time. */
  List<Event> stop() {
    Map<EventId, Event> events = new HashMap<>();
    // All before anything is fetched, since those that go on would record that.
    Map<Worker, Integer> counts = new HashMap<>();
    forEach((worker, from) -> counts.put(worker, from.profile().sync(WorkerProfile::halt)));
    forEach((worker, from) -> take(worker, from, counts.getOrDefault(worker, 0), events));
    return events.values().stream().sorted(Comparator.comparingLong(Event::startNanos)).toList();
  }

  private void take(Worker worker, Recorded from, int count, Map<EventId, Event> events) {
    List<Event> own = new ArrayList<>();
    while (own.size() < count) {
      own.addAll(from.profile().sync(WorkerProfile::page, own.size(), PAGE));
    }
    for (Event event : own) {
      Event ours = event.shifted(-from.aheadNanos());
      events.merge(event.id(), ours, (one, other) -> one.isRemote() ? other : one);
    }
    long dropped = from.profile().sync(WorkerProfile::dropped);
    if (dropped > 0) {
      warnings.accept("worker " + worker.name() + " had no room for " + dropped + " more events");
    }
  }

  /** Does something with each worker; one for which it fails is left out from then on. */
  private void forEach(BiConsumer<Worker, Recorded> work) {
    for (Map.Entry<Worker, Recorded> each : List.copyOf(recorded.entrySet())) {
      try {
        work.accept(each.getKey(), each.getValue());
      } catch (GridException e) {
        recorded.remove(each.getKey());
        each.getValue().profile().close();
        leftOut(each.getKey(), e);
      }
    }
  }

  /** Ends the recording wherever it still goes on. */
  @Override
  public void close() {
    recorded.values().forEach(each -> each.profile().close());
  }
}
