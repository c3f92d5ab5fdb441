package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the events that travel from a callee to its caller. Times are relative to the
 * arrival of the request. A repeated string is written once and then referred to by a number.
 */
final class EventCodec {
  /** The least bytes of an event. */
  private static final int MIN_BYTES = 16;

  private EventCodec() {}

  static void write(List<Event> events, long baseNanos, WireOutput out) {
    Map<String, Integer> strings = new HashMap<>();
    out.varint(events.size());
    for (Event event : events) {
      write(event.id(), out);
      EventId parent = event.parent();
      out.bool(parent != null);
      if (parent != null) {
        write(parent, out);
      }
      write(event.kind().name(), strings, out);
      write(event.key(), strings, out);
      write(event.operation(), strings, out);
      write(event.worker(), strings, out);
      write(event.thread(), strings, out);
      out.varint(Math.max(0, event.startNanos() - baseNanos)).varint(event.durationNanos());
      out.varint(event.queueNanos()).varint(event.bytesOut()).varint(event.bytesIn());
      out.varint(event.allocatedBytes() + 1).varint(event.deviceNanos());
      out.varint(event.shapes().size());
      event.shapes().forEach(shape -> write(shape, strings, out));
      Status failure = event.failure();
      write(failure == null ? "" : failure.name(), strings, out);
    }
  }

  static List<Event> read(WireInput in) {
    List<String> strings = new ArrayList<>();
    int count = in.count(MIN_BYTES);
    List<Event> events = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      events.add(
          new Event(
              readId(in),
              in.bool() ? readId(in) : null,
              readKind(strings, in),
              readString(strings, in),
              readString(strings, in),
              readString(strings, in),
              readString(strings, in),
              in.varint(),
              in.varint(),
              in.varint(),
              in.varint(),
              in.varint(),
              in.varint() - 1,
              in.varint(),
              Stream.generate(() -> readString(strings, in)).limit(in.count(1)).toList(),
              readStatus(strings, in)));
    }
    return events;
  }

  private static Event.Kind readKind(List<String> strings, WireInput in) {
    String name = readString(strings, in);
    return Arrays.stream(Event.Kind.values())
        .filter(kind -> kind.name().equals(name))
        .findFirst()
        .orElseThrow(() -> in.damaged("an event of kind " + name));
  }

  private static @Nullable Status readStatus(List<String> strings, WireInput in) {
    String name = readString(strings, in);
    // A newer worker may send one that is not known here.
    return name.isEmpty() ? null : Objects.requireNonNullElse(Status.byName(name), Status.INTERNAL);
  }

  private static void write(EventId id, WireOutput out) {
    out.varint(id.worker()).varint(id.number());
  }

  private static EventId readId(WireInput in) {
    return new EventId(in.varint(), in.varint());
  }

  private static void write(String string, Map<String, Integer> strings, WireOutput out) {
    Integer known = strings.putIfAbsent(string, strings.size());
    out.varint(known == null ? strings.size() - 1 : known);
    if (known == null) {
      out.utf(string);
    }
  }

  private static String readString(List<String> strings, WireInput in) {
    long index = in.varint();
    if (index < 0 || index > strings.size()) {
      throw in.damaged("string " + index + " of " + strings.size());
    }
    if (index == strings.size()) {
      strings.add(in.utf());
    }
    return strings.get((int) index);
  }
}
