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
 * A recorded call on its callee's side: recorded for the caller, who sent a mark; for this whole
 * worker; or both. Threads: one step after the other, as the message.
 */
final class ServedCallRecorder {
  /** How many events go back with one reply at most. */
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
  private String thread = "";
  private @Nullable Thread begunOn;
  private long allocated = AllocationCounter.UNKNOWN;
  private long begun;

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

  /** Makes what this thread records while it runs the function. */
  Trace.Recorder bind() {
    return ThreadBinding.ofCall(profiler, recordings, id);
  }

  /** The function begins on this thread. */
  void begin(List<@Nullable Object> arguments) {
    if (wantsShapes) {
      shapes = ArgumentShapes.of(arguments);
    }
    begunOn = Thread.currentThread();
    thread = begunOn.getName();
    if (wantsMemory) {
      allocated = AllocationCounter.allocatedByThisThread();
    }
    begun = System.nanoTime();
  }

  /** The function's result is there, or its failure. */
  void end(@Nullable Status failure) {
    if (begunOn == null) { // Refused before it began.
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
            thread,
            begun,
            now - begun,
            begun - request.receivedNanos(),
            0,
            0,
            begunOn == Thread.currentThread()
                ? AllocationCounter.since(allocated)
                : AllocationCounter.UNKNOWN,
            shapes,
            failure);
    recordings.forEach(recording -> recording.add(event));
  }

  /** Writes for the caller how long this took here, and all that happened. */
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
