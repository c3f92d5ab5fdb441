package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Trace;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records one call at its callee: for the caller, if it sent a mark, and for the recordings of this
 * whole worker.
 *
 * <p>Threads: like the message, one step after the other.
 */
final class ServedCallRecorder {
  /** The most events in one reply. */
  private static final int MAX_RETURNED = 10_000;

  private final Profiler profiler;
  private final Incoming request;
  private final EventId id;
  private final @Nullable EventId caller;
  private final @Nullable ProfileRecording returned;
  private final List<ProfileRecording> recordings;
  private final boolean wantsShapes;
  private final boolean wantsMemory;
  private List<String> shapes = List.of();
  private String threadName = "";
  private @Nullable Thread thread;
  private long allocated = AllocationCounter.UNKNOWN;
  private long start;

  ServedCallRecorder(
      Profiler profiler, Incoming request, @Nullable EventId caller, Set<Detail> callersDetails) {
    this.profiler = profiler;
    this.request = request;
    this.id = profiler.nextId();
    this.caller = caller;
    this.returned = caller == null ? null : new ProfileRecording(callersDetails, MAX_RETURNED);
    List<ProfileRecording> all = new ArrayList<>(profiler.withEverything(List.of()));
    if (returned != null) {
      all.add(returned);
    }
    this.recordings = List.copyOf(all);
    this.wantsShapes = all.stream().anyMatch(recording -> recording.wants(Detail.SHAPES));
    this.wantsMemory = all.stream().anyMatch(recording -> recording.wants(Detail.MEMORY));
  }

  /** Returns the recorder of the thread that runs the function. */
  Trace.Recorder bind() {
    return ThreadBinding.ofCall(profiler, recordings, id);
  }

  /** Notes that the function begins on this thread. */
  void begin(List<@Nullable Object> arguments) {
    if (wantsShapes) {
      shapes = ArgumentShapes.of(arguments);
    }
    thread = Thread.currentThread();
    threadName = thread.getName();
    if (wantsMemory) {
      allocated = AllocationCounter.allocatedByThisThread();
    }
    start = System.nanoTime();
  }

  /** Records the function with its result or failure. */
  void end(@Nullable Status failure) {
    if (thread == null) { // The call was refused before.
      return;
    }
    long now = System.nanoTime();
    Event event =
        new Event(
            id,
            caller,
            Event.Kind.FUNCTION,
            "",
            request.call().function(),
            profiler.worker().name(),
            threadName,
            start,
            now - start,
            start - request.receivedNanos(),
            0,
            0,
            thread == Thread.currentThread()
                ? AllocationCounter.since(allocated)
                : AllocationCounter.UNKNOWN,
            shapes,
            failure);
    recordings.forEach(recording -> recording.add(event));
  }

  /** Writes the time since the request's arrival and all events for the caller. */
  void writeEvents(WireOutput out) {
    if (returned != null) {
      long received = request.receivedNanos();
      List<Event> events = returned.events();
      returned.stop();
      out.varint(System.nanoTime() - received);
      EventCodec.write(events, received, out);
    }
  }
}
