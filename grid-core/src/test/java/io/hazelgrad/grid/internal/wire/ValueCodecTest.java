package io.hazelgrad.grid.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.AllowList;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.Outgoing;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.factory.Nd4j;

class ValueCodecTest {
  private static final Worker ALICE = new Worker("alice", 1, new UUID(1, 2));
  private static final CallInfo CALL =
      new CallInfo(
          new CallId(1, 1),
          ALICE,
          new Worker("bob", 2, new UUID(3, 4)),
          MessageKind.FUNCTION,
          "a function");

  private final ValueCodec codec =
      new ValueCodec(
          new AllowList(
              Set.of(), Set.of(TimeUnit.class.getName()), ValueCodecTest.class.getClassLoader()),
          List.of(),
          new Codecs(List.of()),
          new ObjectCodecs(List.of()));

  @RemoteValue
  record Point(double x, List<String> names, Point next) {}

  @RemoteValue
  record Checked(int positive) {
    Checked {
      if (positive < 1) {
        throw new IllegalArgumentException("positive=" + positive);
      }
    }
  }

  @RemoteValue
  enum Color {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "a constant with a body of its own";
      }
    }
  }

  record Stranger(int id) {}

  enum Unknown {
    ONE
  }

  static List<Object> values() {
    Map<Object, Object> map = new LinkedHashMap<>();
    map.put(null, "null is a key");
    map.put("list", Arrays.asList(1, null, 2L, Map.of("deep", List.of())));
    map.put(7, new Object[] {"x", null, 1.5f});
    return Arrays.asList(
        null,
        true,
        false,
        (byte) -7,
        (short) -30_000,
        'ß',
        '\ud800',
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Float.NaN,
        -0.0,
        "",
        "snow ☃ and 𝄞",
        "half a pair: \ud834",
        new byte[] {1, -1},
        new short[] {1, -1},
        new char[] {'a', '\udc00', '\ud800'},
        new int[] {1, -1},
        new long[0],
        new float[] {1.5f},
        new double[] {Double.NEGATIVE_INFINITY},
        new boolean[] {true, false},
        new String[] {"a", null},
        new Object[] {1, new Object[] {"nested"}},
        new Tensor[] {Tensor.scalar(1), null},
        Tensor.of(new int[] {1, 2}, 2, 1),
        ALICE,
        Color.RED,
        Color.GREEN,
        TimeUnit.DAYS,
        new Point(1, List.of("a"), new Point(2, List.of(), null)),
        List.of(List.of(List.of())),
        map);
  }

  private Object roundTrip(Object value) {
    return codec
        .decode(
            codec.encode(Collections.singletonList(value), new Outgoing(CALL)),
            new Incoming(CALL, Long.MAX_VALUE))
        .get(0);
  }

  @ParameterizedTest
  @MethodSource("values")
  void valueArrivesAsSent(Object value) {
    Object arrived = roundTrip(value);
    assertThat(
            Arrays.deepEquals(new Object[] {arrived}, new Object[] {value})
                || deepText(arrived).equals(deepText(value)))
        .as("%s", deepText(arrived))
        .isTrue();
    if (value != null && value.getClass().isArray()) {
      assertThat(arrived).isInstanceOf(value.getClass());
    }
  }

  private static String deepText(Object value) { // for maps with arrays inside
    if (value instanceof Map<?, ?> map) {
      StringBuilder text = new StringBuilder();
      map.forEach((k, v) -> text.append(k).append('=').append(deepText(v)).append(' '));
      return text.toString();
    }
    return value instanceof Object[] array ? Arrays.deepToString(array) : String.valueOf(value);
  }

  @Test
  void valueIsRefusedAboveNestingLimit() {
    Object value = "core";
    for (int i = 0; i < ValuePath.MAX_DEPTH; i++) {
      value = Collections.singletonList(value);
    }
    assertThat(roundTrip(value)).isEqualTo(value);
    List<Object> deeper = List.of(value);
    refused(deeper, "deeper than 256 levels");
  }

  private void refused(Object value, String... messages) {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> codec.encode(Arrays.asList("fine", value), new Outgoing(CALL)))
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_VALUE))
        .withMessageStartingWith("argument 1")
        .satisfies(e -> assertThat(e).hasMessageContainingAll(messages));
  }

  @Test
  void valueIsRefusedWithReasonWhenItCannotTravel() {
    refused(new CompletableFuture<>(), "a future cannot travel", "send its value");
    refused(new Object(), "java.lang.Object cannot travel", "@RemoteValue");
    refused(new ArrayDeque<>(), "java.util.ArrayDeque cannot travel", "new ArrayList<>(");
    refused(new Thread[0], "an array of java.lang.Thread cannot travel", "send a list");
    refused(new Stranger[0], "an array of", "Stranger are not allowed", "@RemoteValue");
    refused(new Stranger(1), "ValueCodecTest$Stranger", "@RemoteValue", "values(...)");
    refused(Unknown.ONE, "ValueCodecTest$Unknown", "@RemoteValue");
    refused(Nd4j.scalar(1), "NDArray are not allowed", "TypeCodec");
    refused(Map.of("key", List.of(new Stranger(1))), "Stranger");
    List<Object> cyclic = new ArrayList<>();
    cyclic.add(cyclic);
    refused(cyclic, "contains itself");
  }

  @Test
  void resultIsNamedWhenItCannotTravel() {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(
            () ->
                codec.encode(
                    List.of(new Object()), new Outgoing(new Incoming(CALL, Long.MAX_VALUE))))
        .withMessageStartingWith("the result: ");
  }

  @Test
  void valueIsBadWhenRecordRefusesItsComponents() {
    byte[] bytes = codec.encode(List.of(new Checked(1)), new Outgoing(CALL));
    bytes[bytes.length - 4] = 0; // the int
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> codec.decode(bytes, new Incoming(CALL, Long.MAX_VALUE)))
        .withMessageContainingAll("Checked", "positive=0")
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_VALUE));
  }

  @Test
  void valueIsRefusedByReceiverWhenClassIsNotAllowed() {
    ValueCodec lax =
        new ValueCodec(
            new AllowList(
                Set.of(), Set.of(Stranger.class.getName()), ValueCodecTest.class.getClassLoader()),
            List.of(),
            new Codecs(List.of()),
            new ObjectCodecs(List.of()));
    byte[] bytes = lax.encode(List.of(new Stranger(1)), new Outgoing(CALL));
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> codec.decode(bytes, new Incoming(CALL, Long.MAX_VALUE)))
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.NOT_ALLOWED))
        .withMessageContaining("Stranger");
  }

  @Test
  void listMayShrinkWhileSent() {
    List<Object> shrinking =
        new ArrayList<>(List.of(1, 2, 3)) {
          private static final long serialVersionUID = 1L;

          @Override
          public int size() {
            return 100;
          }
        };
    assertThat(roundTrip(shrinking)).isEqualTo(List.of(1, 2, 3));
  }

  @Test
  void damagedBytesAreBadValuesWithinTheirLength() {
    byte[] good = codec.encode(values(), new Outgoing(CALL));
    Random random = new Random(20_251_120);
    Map<Boolean, Integer> outcomes = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = damage(good, random);
      outcomes.merge(decodes(bytes), 1, Integer::sum);
    }
    assertThat(outcomes.get(false)).as("refused: %s", outcomes).isGreaterThan(5_000);
  }

  private static byte[] damage(byte[] good, Random random) {
    byte[] bytes = good.clone();
    switch (random.nextInt(4)) {
      case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      case 1 -> bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      case 2 -> {
        for (int n = random.nextInt(8); n >= 0; n--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
      default -> { // a piece of it, starting anywhere, and a likely tag in front
        int from = random.nextInt(bytes.length);
        bytes = Arrays.copyOfRange(bytes, from, bytes.length);
        bytes[0] = 1;
        if (bytes.length > 1) {
          bytes[1] = (byte) random.nextInt(20);
        }
      }
    }
    return bytes;
  }

  /** Returns whether the bytes were read; anything but a refusal of the right kind fails. */
  private boolean decodes(byte[] bytes) {
    try {
      codec.decode(bytes, new Incoming(CALL, Long.MAX_VALUE));
      return true;
    } catch (GridException e) {
      assertThat(e.status()).as("%s", e).isIn(Status.BAD_VALUE, Status.NOT_ALLOWED);
      return false;
    }
  }

  @Test
  void falseCountsAllocateNothing() {
    byte[] bytes = new byte[1 << 20]; // lists in lists, each claims all bytes that are left
    int at = 0;
    bytes[at++] = 1;
    for (int i = 0; i < 60; i++) {
      bytes[at++] = (byte) (i % 2 == 0 ? 11 : 13);
      if (i % 2 == 1) {
        bytes[at++] = 2;
      }
      bytes[at++] = (byte) 0x80; // 2^19 elements
      bytes[at++] = (byte) 0x80;
      bytes[at++] = 0x20;
    }
    bytes[at] = 99;
    long before = allocated();
    assertThat(decodes(bytes)).isFalse();
    assertThat(allocated() - before).isLessThan(1 << 20);
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }
}
