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
 * A recording of all workers that are in the grid at its start, made by a client. The events of a
 * worker come from its own recording. If a worker cannot be asked, its calls come from the
 * recordings of its callers.
 *
 * <p>Clocks: the client reads the clock of each worker eight times. It takes the fastest reading
 * and assumes that it was made in the middle of its round trip. The times of two workers are
 * therefore comparable up to half of that round trip.
 *
 * <p>A worker that cannot be recorded or is lost during the recording is left out with a warning.
 */
final class GridTrace implements AutoCloseable {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
  private static final int CLOCK_READINGS = 8;
  private static final int PAGE = 1_000;

  /** The recording of one worker, and the difference of its clock from the client's. */
  private record Recorded(RRef<WorkerProfile> profile, long aheadNanos) {}

  private final Consumer<String> warnings;
  private final Map<Worker, Recorded> recorded = new LinkedHashMap<>();

  private GridTrace(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Starts recording.
   *
   * @param warnings receives a line for each worker that is left out
   * @throws FailedException if no worker can be recorded
   */
  static GridTrace start(GridClient client, boolean detailed, Consumer<String> warnings) {
    GridTrace trace = new GridTrace(warnings);
    try {
      client.workers().forEach(worker -> trace.add(client, worker, detailed));
      trace.forEach((worker, each) -> Rpc.await(each.profile().creation()));
      if (trace.recorded.isEmpty()) {
        throw new FailedException(
            "no worker of the grid can be recorded; the warnings above say why");
      }
      return trace;
    } catch (Throwable e) {
      trace.close();
      throw e;
    }
  }

  private void add(GridClient client, Worker worker, boolean detailed) {
    try {
      // Before the recording starts, so that it lacks these calls.
      long ahead = ahead(client.rpc().within(CALL_TIMEOUT), worker);
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

  /** Returns the nanoseconds by which a worker's clock is ahead of the client's. */
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

  int recordedWorkers() {
    return recorded.size();
  }

  /** Stops recording on all workers and returns the events, in the time of the client's clock. */
  List<Event> stop() {
    Map<EventId, Event> events = new HashMap<>();
    // All are stopped before the first fetch: a running recording would record the fetch.
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
      String what = " had no room for " + dropped + " more events; record for a shorter time";
      warnings.accept("worker " + worker.name() + what);
    }
  }

  /** Runs an action for each worker. A worker for which it fails is left out from then on. */
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

  @Override
  public void close() {
    recorded.values().forEach(each -> each.profile().close());
  }
}
