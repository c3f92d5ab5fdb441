package io.hazelgrad.grid.profile;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
  private static final ObjectMapper JSON = new ObjectMapper();
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
    try (JsonGenerator json = JSON.createGenerator(out)) {
      new ChromeTrace(events, json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)).write();
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
    ObjectNode node = JSON.createObjectNode().put("ph", "M").put("name", what);
    node.put("pid", process).put("tid", row).putObject("args").put("name", name);
    json.writeTree(node);
  }

  private void writeEvent(Event event) throws IOException {
    String category = event.kind().name().toLowerCase(Locale.ROOT);
    ObjectNode node = node("X", event.name(), category, event, event.startNanos());
    node.put("dur", event.durationNanos() / NANOS_PER_MICRO);
    ObjectNode args = node.putObject("args").put("id", event.id().toString());
    EventId parent = event.parent();
    if (parent != null) {
      args.put("parent", parent.toString());
    }
    switch (event.kind()) {
      case CALL -> args.put("bytes_out", event.bytesOut()).put("bytes_in", event.bytesIn());
      case FUNCTION -> args.put("queue_us", event.queueNanos() / NANOS_PER_MICRO);
      case OPERATION, SCOPE -> {}
    }
    if (event.deviceNanos() > 0) {
      args.put("device_us", event.deviceNanos() / NANOS_PER_MICRO);
    }
    if (event.allocatedBytes() >= 0) {
      args.put("allocated_bytes", event.allocatedBytes());
    }
    if (!event.shapes().isEmpty()) {
      args.put("shapes", event.shapes().toString());
    }
    Status failure = event.failure();
    if (failure != null) {
      args.put("failure", failure.name());
    }
    json.writeTree(node);
  }

  /** Writes the arrow to a function from its call, if both were recorded. */
  private void writeArrow(Event event) throws IOException {
    EventId parent = event.parent();
    Event call = parent == null ? null : byId.get(parent);
    if (event.kind() == Event.Kind.FUNCTION && call != null) {
      String id = call.id().toString();
      json.writeTree(node("s", "call", "call", call, call.startNanos()).put("id", id));
      ObjectNode end = node("f", "call", "call", event, event.startNanos());
      json.writeTree(end.put("id", id).put("bp", "e"));
    }
  }

  private ObjectNode node(String phase, String name, String category, Event at, long nanos) {
    ObjectNode node = JSON.createObjectNode().put("ph", phase).put("name", name);
    node.put("cat", category).put("pid", at.id().worker());
    node.put("tid", rows.getOrDefault(at.id(), 0));
    return node.put("ts", (nanos - start) / NANOS_PER_MICRO);
  }
}
