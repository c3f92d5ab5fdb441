package io.hazelgrad.grid.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.fail;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.OwnCodecsTest;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.wire.ValueCodec.Tag;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A decoder that meets bytes which no encoder wrote answers BAD_VALUE or NOT_ALLOWED; it never
 * dies, loops, or takes memory that the bytes do not pay for.
 */
class DecoderFuzzTest {
  private static final long SEED = Long.getLong("hazelgrad.seed", 20_261_121L);
  private static final int INPUTS = Boolean.getBoolean("hazelgrad.tests.full") ? 150_000 : 20_000;

  /** Bytes of the heap for each byte that arrived, and some for the reader itself. */
  private static final long FACTOR = 120;

  private static final long BASE = 64 * 1024;

  private final ValueCodec codec =
      TestCodecs.codec(
          new Codecs(List.of(new OwnCodecsTest.TreeCodec(), new OwnCodecsTest.PairCodec())),
          TimeUnit.class);

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  /** Reads; returns what it came to, or fails for any outcome but the three. */
  private String outcome(byte[] bytes, String what) {
    long limit = BASE + FACTOR * bytes.length;
    long before = allocated();
    String outcome = read(bytes, what);
    if (allocated() - before > limit) { // Perhaps what the JVM needs when it does this first.
      before = allocated();
      assertThat(read(bytes, what)).isEqualTo(outcome);
      assertThat(allocated() - before).as(what).isLessThan(limit);
    }
    return outcome;
  }

  private String read(byte[] bytes, String what) {
    try {
      List<Object> values = codec.decode(bytes, TestCodecs.arriving());
      assertThat(values).as(what).isNotNull();
      return "read";
    } catch (GridException e) {
      if (e.status() != Status.BAD_VALUE && e.status() != Status.NOT_ALLOWED) {
        fail(what, e);
      }
      return e.status().name();
    } catch (Throwable e) {
      return fail(what + ": " + Arrays.toString(Arrays.copyOf(bytes, 100)), e);
    }
  }

  @Test
  @Timeout(120)
  void mutatedMessagesAreRefusedOrRead() {
    List<byte[]> good = messages();
    Map<String, Integer> outcomes = new TreeMap<>();
    for (byte[] bytes : good) {
      outcome(bytes, "to load classes");
    }
    for (int i = 0; i < INPUTS; i++) {
      SplittableRandom random = new SplittableRandom(SEED + i);
      byte[] bytes = Mutations.mutate(good, random);
      outcomes.merge(outcome(bytes, "seed " + (SEED + i)), 1, Integer::sum);
    }
    assertThat(outcomes.get("BAD_VALUE")).as("%s", outcomes).isGreaterThan(INPUTS / 3);
    assertThat(outcomes.get("read")).as("%s", outcomes).isGreaterThan(INPUTS / 100);
  }

  /** Messages of all kinds of values, among them those of codecs. */
  private List<byte[]> messages() {
    List<byte[]> good = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      RandomValues random = new RandomValues(new SplittableRandom(SEED + i));
      byte[] bytes =
          codec.encode(Arrays.asList(random.value(3), random.value(1)), TestCodecs.request());
      if (bytes.length < 4000) {
        good.add(bytes);
      }
    }
    OwnCodecsTest.Tree tree = new OwnCodecsTest.Tree("root");
    tree.children.add(new OwnCodecsTest.Tree("leaf"));
    good.add(TestCodecs.encode(codec, List.of(tree, TimeUnit.DAYS)));
    good.add(TestCodecs.encode(codec, new OwnCodecsTest.Pair(1, "two")));
    return good;
  }

  @Test
  @Timeout(60)
  void noiseIsRefused() {
    for (int i = 0; i < 20_000; i++) {
      SplittableRandom random = new SplittableRandom(SEED - i);
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (bytes.length > 1) { // One value, of a likely tag.
        bytes[0] = 1;
        bytes[1] = (byte) random.nextInt(45);
      }
      outcome(bytes, "noise of seed " + (SEED - i));
    }
  }

  private static byte[] repeated(int times, int... unit) {
    byte[] bytes = new byte[1 + times * unit.length];
    bytes[0] = 1;
    for (int i = 0; i < times * unit.length; i++) {
      bytes[i + 1] = (byte) unit[i % unit.length];
    }
    return bytes;
  }

  @Test
  void nestingBombsAreRefused() {
    assertThat(outcome(repeated(1_000_000, Tag.LIST, 1), "lists")).isEqualTo("BAD_VALUE");
    assertThat(outcome(repeated(1_000_000, Tag.SET, 1), "sets")).isEqualTo("BAD_VALUE");
    assertThat(outcome(repeated(1_000_000, Tag.MAP, 1), "maps")).isEqualTo("BAD_VALUE");
    assertThat(outcome(repeated(1_000_000, Tag.OPTIONAL), "optionals")).isEqualTo("BAD_VALUE");
    WireOutput out = new WireOutput().varint(1);
    String name = RandomValues.Mixed.class.getName();
    out.int8(Tag.OBJECT).varint(0).utf(name).varint(1).varint(0).utf("any");
    for (int i = 0; i < 100_000; i++) {
      out.int8(Tag.OBJECT).varint(1).varint(1).varint(2);
    }
    assertThat(outcome(out.toBytes(), "records")).isEqualTo("BAD_VALUE");
    String tree = OwnCodecsTest.Tree.class.getName();
    WireOutput own = new WireOutput().varint(1).int8(Tag.OWN).varint(0).utf(tree).int32(1 << 20);
    for (int i = 0; i < 100_000; i++) {
      own.utf("x").varint(1).int8(Tag.OWN).varint(1).int32(1000);
    }
    assertThat(outcome(own.toBytes(), "codecs")).isEqualTo("BAD_VALUE");
  }

  @Test
  void falseLengthsAreRefused() {
    for (int tag = 0; tag < 128; tag++) {
      for (long lie : new long[] {Integer.MAX_VALUE, Long.MAX_VALUE, -1, 1L << 31, 1000}) {
        byte[] bytes = new WireOutput().varint(1).int8(tag).varint(lie).toBytes();
        outcome(bytes, "tag " + tag + " with " + lie);
        for (char letter : "bdflisczBDFLIS".toCharArray()) {
          byte[] array =
              new WireOutput().varint(1).int8(Tag.PRIMITIVES).int8(letter).varint(lie).toBytes();
          assertThat(outcome(array, letter + " with " + lie)).isEqualTo("BAD_VALUE");
        }
      }
    }
    byte[] huge = new byte[1 << 20];
    Arrays.fill(huge, (byte) 0x80);
    huge[0] = 1;
    huge[1] = Tag.LIST;
    assertThat(outcome(huge, "a varint without end")).isEqualTo("BAD_VALUE");
    byte[] overflow = new byte[12];
    Arrays.fill(overflow, (byte) 0xff);
    overflow[11] = 2;
    assertThat(outcome(overflow, "a varint beyond 64 bits")).isEqualTo("BAD_VALUE");
  }

  @Test
  void wideTreeOfFalseCountsTakesNoMemory() {
    byte[] bytes = new byte[1 << 20];
    int at = 1;
    bytes[0] = 1;
    for (int i = 0; i < 200; i++) {
      bytes[at++] = Tag.LIST;
      bytes[at++] = (byte) 0x80;
      bytes[at++] = (byte) 0x80;
      bytes[at++] = 0x20;
    }
    bytes[at] = 99;
    assertThat(outcome(bytes, "lists of 2^19 elements")).isEqualTo("BAD_VALUE");
    long before = allocated();
    assertThat(read(bytes, "again")).isEqualTo("BAD_VALUE");
    assertThat(allocated() - before).isLessThan(1 << 20);
  }

  /** All its values have the same hash, and no order. */
  @RemoteValue
  record Colliding(int number) {
    @Override
    public int hashCode() {
      return 7;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Colliding c && c.number == number;
    }
  }

  @Test
  @Timeout(60)
  void mapStaysFastWhenKeysShareHash() {
    List<Object> colliding = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      colliding.add(new Colliding(i));
    }
    byte[] list = TestCodecs.encode(codec, colliding);
    byte[] set = list.clone();
    set[1] = Tag.SET;
    GridException refused =
        catchThrowableOfType(GridException.class, () -> TestCodecs.decode(codec, set));
    assertThat(refused).hasMessageContainingAll("have the same hash", "Colliding");
    assertThat(outcome(list, "as a list")).isEqualTo("read");
    List<Object> texts = new ArrayList<>(); // Strings are in order, so a map copes with them.
    for (int i = 0; i < 1 << 15; i++) {
      StringBuilder text = new StringBuilder();
      for (int bit = 0; bit < 15; bit++) {
        text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      texts.add(text.toString());
    }
    byte[] strings = TestCodecs.encode(codec, texts);
    strings[1] = Tag.SET;
    assertThat(outcome(strings, "strings of one hash")).isEqualTo("read");
  }

  @Test
  void equalKeysAreRefused() {
    byte[] bytes = TestCodecs.encode(codec, List.of(1, 1));
    bytes[1] = Tag.SET;
    assertThat(outcome(bytes, "a set")).isEqualTo("BAD_VALUE");
    byte[] map = TestCodecs.encode(codec, Arrays.asList("k", 1, "k", 2));
    map[1] = Tag.MAP;
    map[2] = 2;
    assertThat(outcome(map, "a map")).isEqualTo("BAD_VALUE");
  }

  @Test
  void namesAreBoundedAndMayNotPointAhead() {
    WireOutput longName = new WireOutput().varint(1).int8(Tag.ENUM).varint(0);
    assertThat(outcome(longName.utf("x".repeat(3000)).toBytes(), "a long name"))
        .isEqualTo("BAD_VALUE");
    byte[] ahead = new WireOutput().varint(1).int8(Tag.ENUM).varint(1).toBytes();
    assertThat(outcome(ahead, "a name that never came")).isEqualTo("BAD_VALUE");
    for (String name :
        List.of(
            "java.lang.Runtime", "[I", "", "com.sun.jndi.ldap.LdapCtx", "java.lang.Thread$State")) {
      for (int tag : new int[] {Tag.ENUM, Tag.OBJECT}) {
        byte[] bytes =
            new WireOutput().varint(1).int8(tag).varint(0).utf(name).varint(0).utf("a").toBytes();
        assertThat(outcome(bytes, name)).isNotEqualTo("read");
      }
    }
  }

  @Test
  void deepArrayTypesCreateNoClasses() {
    WireOutput out = new WireOutput().varint(1).int8(Tag.ARRAY).int8(127).varint(0).utf("int");
    assertThat(outcome(out.varint(0).toBytes(), "127 dimensions")).isEqualTo("BAD_VALUE");
    WireOutput negative = new WireOutput().varint(1).int8(Tag.ARRAY).int8(-1).varint(0).utf("int");
    assertThat(outcome(negative.varint(0).toBytes(), "-1 dimensions")).isEqualTo("BAD_VALUE");
  }

  @Test
  void readersOfRawBytesStayInside() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(30)];
      random.nextBytes(bytes);
      WireInput in = new WireInput(bytes);
      try {
        while (true) {
          int before = in.remaining();
          step(in, random.nextInt(12));
          assertThat(in.remaining()).isLessThanOrEqualTo(before);
        }
      } catch (GridException e) {
        assertThat(e.status()).isEqualTo(Status.BAD_VALUE);
      }
    }
  }

  private static void step(WireInput in, int kind) {
    Object unused =
        switch (kind) {
          case 0 -> in.int8();
          case 1 -> in.int32();
          case 2 -> in.int64();
          case 3 -> in.varint();
          case 4 -> in.utf();
          case 5 -> in.bytes();
          case 6 -> in.uuid();
          case 7 -> in.tensor();
          case 8 -> in.count(3);
          case 9 -> in.view(in.int8());
          case 10 -> in.bool();
          default -> {
            int outer = in.open(in.int8());
            in.utf();
            in.close(outer);
            yield outer;
          }
        };
    assertThat(Collections.singletonList(unused)).hasSize(1);
  }
}
