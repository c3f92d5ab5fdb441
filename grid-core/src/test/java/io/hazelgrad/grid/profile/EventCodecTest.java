package io.hazelgrad.grid.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Events on the wire. */
class EventCodecTest {
  private static final List<Event> EVENTS =
      List.of(
          new Event(
              new EventId(7, 1L << 40),
              null,
              Event.Kind.SCOPE,
              "",
              "scope",
              "w",
              "main",
              1_000,
              5,
              0,
              0,
              0,
              -1,
              0,
              List.of(),
              null),
          new Event(
              new EventId(7, 2),
              new EventId(3, 4),
              Event.Kind.FUNCTION,
              "key",
              "scope",
              "w",
              "main",
              2_000,
              1L << 50,
              9,
              10,
              11,
              12,
              13,
              List.of("[2]", "", "[2]"),
              Status.USER_ERROR));

  private static byte[] written() {
    WireOutput out = new WireOutput();
    EventCodec.write(EVENTS, 1_000, out);
    return out.toBytes();
  }

  @Test
  void eventsSurviveWithTimesSinceBase() {
    WireInput in = new WireInput(written());
    List<Event> read = EventCodec.read(in);
    in.end();
    assertThat(read.stream().map(event -> shifted(event, 1_000)).toList()).isEqualTo(EVENTS);
    assertThat(read.get(1).startNanos()).isEqualTo(1_000);
  }

  private static Event shifted(Event event, long by) {
    return new Event(
        event.id(),
        event.parent(),
        event.kind(),
        event.key(),
        event.operation(),
        event.worker(),
        event.thread(),
        event.startNanos() + by,
        event.durationNanos(),
        event.queueNanos(),
        event.bytesOut(),
        event.bytesIn(),
        event.allocatedBytes(),
        event.deviceNanos(),
        event.shapes(),
        event.failure());
  }

  @Test
  void stringIsWrittenOnce() {
    String text = new String(written(), java.nio.charset.StandardCharsets.ISO_8859_1);
    assertThat(text.indexOf("scope")).isEqualTo(text.lastIndexOf("scope")).isNotNegative();
  }

  @Test
  void damagedBytesAreRefused() {
    byte[] good = written();
    SplittableRandom random = new SplittableRandom(5);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = java.util.Arrays.copyOf(good, random.nextInt(good.length + 1));
      for (int change = random.nextInt(3); change > 0 && bytes.length > 0; change--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        var unused = EventCodec.read(new WireInput(bytes));
      } catch (GridException e) {
        assertThat(e.status()).isEqualTo(Status.BAD_VALUE);
      }
    }
    assertThatThrownBy(() -> EventCodec.read(new WireInput(new byte[] {120})))
        .isInstanceOf(GridException.class);
  }
}
