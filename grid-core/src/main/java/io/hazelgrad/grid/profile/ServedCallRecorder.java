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
 * Records one call at its callee, for a caller that sent a mark and for profiles of this worker.
 * Threads: like the message, one step after the other.
 */
final class ServedCallRecorder {
  /** The most events in one reply. */
  private static final int MAX_RETURNED = 10_000;

  private final Profiler profiler;
  private final Incoming request;
  private final EventId id;
  private final @Nullable EventId caller;
  private final @Nullable Profile returned;
  private final List<Profile> profiles;
  private final Set<Detail> details;
  private List<String> shapes = List.of();
  private String threadName = "";
  private @Nullable Thread thread;
  private long allocated;
  private long start;

  ServedCallRecorder(
      Profiler profiler, Incoming request, @Nullable EventId caller, Set<Detail> callersDetails) {
    this.profiler = profiler;
    this.request = request;
    this.id = profiler.nextId();
    this.caller = caller;
    this.profiles = new ArrayList<>(profiler.withEverything(List.of()));
    if (caller == null) {
      returned = null;
    } else {
      returned = profiler.create(callersDetails, MAX_RETURNED, closed -> {});
      profiles.add(returned);
    }
    this.details = Profile.details(profiles);
  }

  Trace.Recorder bind() {
    return ThreadBinding.ofCall(profiler, profiles, id);
  }

  /** Notes that the function begins on this thread. */
  void begin(List<@Nullable Object> arguments) {
    shapes = Event.shapesOf(arguments, details);
    thread = Thread.currentThread();
    threadName = thread.getName();
    allocated = AllocationCounter.now(details);
    start = System.nanoTime();
  }

  /** Records the function with its result or failure. */
  void end(@Nullable Status failure) {
    if (thread == null) { // The call was refused before.
      return;
    }
    long now = System.nanoTime();
    boolean isSameThread = thread == Thread.currentThread();
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
            isSameThread ? AllocationCounter.since(allocated) : AllocationCounter.UNKNOWN,
            0,
            shapes,
            failure);
    profiles.forEach(profile -> profile.add(event));
  }

  /** Writes the time since the request's arrival and all events for the caller. */
  void writeEvents(WireOutput out) {
    if (returned != null) {
      long received = request.receivedNanos();
      List<Event> events = returned.recorded();
      returned.close();
      out.varint(System.nanoTime() - received);
      EventCodec.write(events, received, out);
    }
  }
}
