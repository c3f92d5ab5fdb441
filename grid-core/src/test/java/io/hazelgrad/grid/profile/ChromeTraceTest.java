package io.hazelgrad.grid.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.grid.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The form of exported traces. */
class ChromeTraceTest {
  private static final long MS = 1_000_000;

  private static Event event(
      long worker,
      long number,
      @Nullable EventId parent,
      Event.Kind kind,
      String operation,
      long startMs,
      long durationMs) {
    return new Event(
        new EventId(worker, number),
        parent,
        kind,
        worker == 1 ? "" : "key",
        operation,
        "w" + worker,
        "thread",
        startMs * MS,
        durationMs * MS,
        3000,
        kind == Event.Kind.CALL ? 100 : 0,
        kind == Event.Kind.CALL ? 10 : 0,
        -1,
        kind == Event.Kind.OPERATION ? 7000 : 0,
        List.of("[2]"),
        number == 1 ? Status.TIMEOUT : null);
  }

  private static List<JsonNode> written(Event... events) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ChromeTrace.write(List.of(events), out);
    List<JsonNode> all = new ArrayList<>();
    new ObjectMapper().readTree(out.toByteArray()).get("traceEvents").forEach(all::add);
    return all;
  }

  private static List<JsonNode> ofPhase(List<JsonNode> events, String phase) {
    return events.stream().filter(event -> event.get("ph").asText().equals(phase)).toList();
  }

  @Test
  void traceMayBeEmpty() throws IOException {
    assertThat(written()).isEmpty();
  }

  @Test
  void processesAndThreadsHaveNamesAndCallsHaveArrows() throws IOException {
    EventId call = new EventId(1, 1);
    List<JsonNode> trace =
        written(
            event(1, 1, null, Event.Kind.CALL, "rpc_sync#f(w1 -> w2)", 1000, 10),
            event(2, 7, call, Event.Kind.FUNCTION, "f", 1003, 4));

    assertThat(ofPhase(trace, "M"))
        .extracting(m -> m.get("name").asText() + "=" + m.get("args").get("name").asText())
        .containsExactly(
            "process_name=w1", "thread_name=thread", "process_name=w2", "thread_name=thread");
    List<JsonNode> complete = ofPhase(trace, "X");
    assertThat(complete).extracting(x -> x.get("ts").asDouble()).containsExactly(0.0, 3000.0);
    assertThat(complete).extracting(x -> x.get("dur").asDouble()).containsExactly(10000.0, 4000.0);
    assertThat(complete.get(0).get("args").get("failure").asText()).isEqualTo("TIMEOUT");
    assertThat(complete.get(0).get("args").get("bytes_out").asLong()).isEqualTo(100);
    assertThat(complete.get(1).get("args").get("queue_us").asDouble()).isEqualTo(3.0);
    JsonNode from = ofPhase(trace, "s").get(0);
    JsonNode to = ofPhase(trace, "f").get(0);
    assertThat(from.get("id")).isEqualTo(to.get("id"));
    assertThat(from.get("pid").asLong()).isEqualTo(1);
    assertThat(to.get("pid").asLong()).isEqualTo(2);
    assertThat(to.get("bp").asText()).isEqualTo("e");
    for (JsonNode arrow : List.of(from, to)) { // Each end lies within its event.
      JsonNode at = complete.get(arrow.equals(from) ? 0 : 1);
      assertThat(arrow.get("tid")).isEqualTo(at.get("tid"));
      assertThat(arrow.get("ts").asDouble())
          .isBetween(at.get("ts").asDouble(), at.get("ts").asDouble() + at.get("dur").asDouble());
    }
  }

  @Test
  void everyEventHasWhatTheFormatRequires() throws IOException {
    List<JsonNode> trace =
        written(
            event(1, 1, null, Event.Kind.SCOPE, "s", 0, 10),
            event(1, 2, new EventId(1, 1), Event.Kind.OPERATION, "add", 1, 2));
    assertThat(ofPhase(trace, "X"))
        .extracting(event -> event.at("/args/device_us").asDouble())
        .containsExactly(0.0, 7.0);
    for (JsonNode event : trace) {
      assertThat(event.get("name").isTextual()).isTrue();
      assertThat(event.get("pid").isIntegralNumber()).isTrue();
      assertThat(event.get("tid").isIntegralNumber()).isTrue();
      if (!event.get("ph").asText().equals("M")) {
        assertThat(event.get("ts").asDouble()).isNotNegative();
      }
    }
  }

  @Test
  void eventsOfOneRowLieWithinEachOtherOrApart() throws IOException {
    List<JsonNode> trace =
        written(
            event(1, 1, null, Event.Kind.SCOPE, "all", 0, 100),
            event(1, 2, null, Event.Kind.CALL, "a", 10, 40),
            event(1, 3, null, Event.Kind.CALL, "b", 20, 50), // Overlaps a.
            event(1, 4, null, Event.Kind.CALL, "c", 55, 30), // Overlaps b, fits beside a.
            event(1, 5, null, Event.Kind.CALL, "d", 60, 60)); // Overlaps all.
    Map<Long, List<double[]>> rows = new HashMap<>();
    for (JsonNode event : ofPhase(trace, "X")) {
      double start = event.get("ts").asDouble();
      rows.computeIfAbsent(event.get("tid").asLong(), row -> new ArrayList<>())
          .add(new double[] {start, start + event.get("dur").asDouble()});
    }
    assertThat(rows).hasSize(3);
    for (List<double[]> row : rows.values()) {
      for (double[] a : row) {
        for (double[] b : row) {
          boolean apart = a[1] <= b[0] || b[1] <= a[0];
          boolean within = (a[0] <= b[0] && b[1] <= a[1]) || (b[0] <= a[0] && a[1] <= b[1]);
          assertThat(apart || within).isTrue();
        }
      }
    }
    Set<String> named = new HashSet<>();
    ofPhase(trace, "M").forEach(m -> named.add(m.get("tid") + " " + m.get("args").get("name")));
    assertThat(named).hasSize(4);
  }
}
