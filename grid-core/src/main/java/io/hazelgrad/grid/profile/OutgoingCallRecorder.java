package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.WireInput;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records one call at its caller. Threads: like the message, one step after the other. */
final class OutgoingCallRecorder {
  final EventId id;

  /** The details that the callee records. */
  final Set<Detail> details;

  private final Outgoing message;
  private final @Nullable EventId parent;
  private final List<Profile> profiles;
  private final List<String> shapes;
  private final String thread = Thread.currentThread().getName();
  private final long start = System.nanoTime();
  private long departed = start;
  private long bytesIn;
  private long shift;
  private List<Event> remote = List.of();

  OutgoingCallRecorder(
      Outgoing message,
      EventId id,
      @Nullable EventId parent,
      List<Profile> profiles,
      List<@Nullable Object> arguments) {
    this.message = message;
    this.id = id;
    this.parent = parent;
    this.profiles = profiles;
    this.details = Profile.details(profiles);
    this.shapes = Event.shapesOf(arguments, details);
  }

  void departed() {
    departed = System.nanoTime();
  }

  /** Reads the callee's events. Request and reply each get half of the time under way. */
  void arrived(long bytes, @Nullable WireInput header) {
    bytesIn = bytes;
    if (header != null) {
      long underWay = System.nanoTime() - departed - header.varint();
      shift = departed + Math.max(0, underWay) / 2;
      remote = EventCodec.read(header);
    }
  }

  void over(@Nullable GridException failure) {
    CallInfo call = message.call();
    String mode = message.mode().name().toLowerCase(Locale.ROOT);
    String route = call.caller().name() + " -> " + call.callee().name();
    String key = "rpc_" + mode + "#" + call.function() + "(" + route + ")";
    Event event =
        new Event(
            id,
            parent,
            Event.Kind.CALL,
            "",
            key,
            call.caller().name(),
            thread,
            start,
            System.nanoTime() - start,
            0,
            message.bytes(),
            bytesIn,
            AllocationCounter.UNKNOWN,
            0,
            shapes,
            failure == null ? null : failure.status());
    List<Event> seen = remote.stream().map(other -> other.seenFrom(key, shift)).toList();
    profiles.forEach(profile -> profile.end(event, seen));
  }
}
