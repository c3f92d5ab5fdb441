package io.hazelgrad.grid.profile;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.hazelgrad.grid.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes events in Chrome's trace format: one process for each worker, complete events ("X") in
 * microseconds since the first event, and an arrow ("s" to "f") from each call to its function. The
 * events of one row must be nested or disjoint. Calls that a thread has in flight at the same time
 * are not, so a thread may have several rows.
 */
final class ChromeTrace {
  private static final double NANOS_PER_MICRO = 1000.0;

  /** A thread of a worker. */
  private record ThreadOf(long process, String name) {}

  /** One row of a thread, with the ends of its open events, the innermost last. */
  private record Lane(int row, Deque<Long> ends) {
    /** Adds an event if there is room. Events must come in the order of their start. */
    boolean place(Event event) {
      while (!ends.isEmpty() && ends.peekLast() <= event.startNanos()) {
        ends.removeLast();
      }
      if (!ends.isEmpty() && ends.peekLast() < event.endNanos()) {
        return false;
      }
      ends.addLast(event.endNanos());
      return true;
    }
  }

  private final JsonGenerator json;
  private final List<Event> events;
  private final long start;
  private final Map<EventId, Event> byId = new HashMap<>();
  private final Map<EventId, Integer> rows = new HashMap<>();

  private ChromeTrace(List<Event> events, JsonGenerator json) {
    this.json = json;
    this.events =
        events.stream()
            .sorted(
                Comparator.comparingLong(Event::startNanos)
                    .thenComparing(Comparator.comparingLong(Event::durationNanos).reversed()))
            .toList();
    this.start = this.events.isEmpty() ? 0 : this.events.get(0).startNanos();
    this.events.forEach(event -> byId.put(event.id(), event));
  }

  static void write(List<Event> events, OutputStream out) throws IOException {
    JsonFactory factory = new JsonFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    try (JsonGenerator json = factory.createGenerator(out)) {
      new ChromeTrace(events, json).write();
    }
  }

  private void write() throws IOException {
    json.writeStartObject();
    json.writeStringField("displayTimeUnit", "ns");
    json.writeArrayFieldStart("traceEvents");
    writeRows();
    for (Event event : events) {
      writeEvent(event);
      writeArrow(event);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Assigns a row to each event, and writes the names of processes and rows. */
  private void writeRows() throws IOException {
    Map<ThreadOf, List<Lane>> threads = new HashMap<>();
    Map<Long, Integer> counts = new HashMap<>();
    for (Event event : events) {
      long process = event.id().worker();
      if (counts.putIfAbsent(process, 0) == null) {
        writeName("process_name", process, 0, event.worker());
      }
      String thread = event.thread();
      List<Lane> lanes =
          threads.computeIfAbsent(new ThreadOf(process, thread), key -> new ArrayList<>());
      Lane lane = lanes.stream().filter(each -> each.place(event)).findFirst().orElse(null);
      if (lane == null) {
        lane = new Lane(counts.merge(process, 1, Integer::sum), new ArrayDeque<>());
        var unused = lane.place(event);
        String name = lanes.isEmpty() ? thread : thread + " (" + lanes.size() + ")";
        writeName("thread_name", process, lane.row(), name);
        lanes.add(lane);
      }
      rows.put(event.id(), lane.row());
    }
  }

  private void writeName(String what, long process, int row, String name) throws IOException {
    json.writeStartObject();
    json.writeStringField("ph", "M");
    json.writeStringField("name", what);
    json.writeNumberField("pid", process);
    json.writeNumberField("tid", row);
    json.writeObjectFieldStart("args");
    json.writeStringField("name", name);
    json.writeEndObject();
    json.writeEndObject();
  }

  private void writeEvent(Event event) throws IOException {
    begin(
        "X", event.name(), event.kind().name().toLowerCase(Locale.ROOT), event, event.startNanos());
    json.writeNumberField("dur", event.durationNanos() / NANOS_PER_MICRO);
    json.writeObjectFieldStart("args");
    json.writeStringField("id", event.id().toString());
    EventId parent = event.parent();
    if (parent != null) {
      json.writeStringField("parent", parent.toString());
    }
    switch (event.kind()) {
      case CALL -> {
        json.writeNumberField("bytes_out", event.bytesOut());
        json.writeNumberField("bytes_in", event.bytesIn());
      }
      case FUNCTION -> json.writeNumberField("queue_us", event.queueNanos() / NANOS_PER_MICRO);
      case OPERATION, SCOPE -> {}
    }
    if (event.allocatedBytes() >= 0) {
      json.writeNumberField("allocated_bytes", event.allocatedBytes());
    }
    if (!event.shapes().isEmpty()) {
      json.writeStringField("shapes", event.shapes().toString());
    }
    Status failure = event.failure();
    if (failure != null) {
      json.writeStringField("failure", failure.name());
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  /** Writes the arrow to a function from its call, if both were recorded. */
  private void writeArrow(Event event) throws IOException {
    EventId parent = event.parent();
    Event call = parent == null ? null : byId.get(parent);
    if (event.kind() != Event.Kind.FUNCTION || call == null) {
      return;
    }
    begin("s", "call", "call", call, call.startNanos());
    json.writeStringField("id", call.id().toString());
    json.writeEndObject();
    begin("f", "call", "call", event, event.startNanos());
    json.writeStringField("id", call.id().toString());
    json.writeStringField("bp", "e");
    json.writeEndObject();
  }

  private void begin(String phase, String name, String category, Event at, long nanos)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("ph", phase);
    json.writeStringField("name", name);
    json.writeStringField("cat", category);
    json.writeNumberField("pid", at.id().worker());
    json.writeNumberField("tid", rows.getOrDefault(at.id(), 0));
    json.writeNumberField("ts", (nanos - start) / NANOS_PER_MICRO);
  }
}
