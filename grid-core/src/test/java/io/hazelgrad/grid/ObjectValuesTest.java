package io.hazelgrad.grid;

import static io.hazelgrad.grid.internal.wire.TestCodecs.codec;
import static io.hazelgrad.grid.internal.wire.TestCodecs.decode;
import static io.hazelgrad.grid.internal.wire.TestCodecs.encode;
import static io.hazelgrad.grid.internal.wire.TestCodecs.roundTrip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.nio.serialization.FieldKind;
import com.hazelcast.nio.serialization.compact.CompactReader;
import com.hazelcast.nio.serialization.compact.CompactSerializer;
import com.hazelcast.nio.serialization.compact.CompactWriter;
import io.hazelgrad.grid.internal.wire.ObjectCodecs;
import io.hazelgrad.grid.internal.wire.TestCodecs;
import io.hazelgrad.grid.internal.wire.ValueCodec;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Records, objects with fields, and objects with a Compact serializer. */
class ObjectValuesTest {
  @RemoteValue
  static class Base {
    private int id = 1;
    transient int cached = 5;
    static int shared;

    int id() {
      return id;
    }

    void id(int newId) {
      id = newId;
    }
  }

  @RemoteValue
  static class Model extends Base {
    String name = "none";
    Tensor weights = Tensor.scalar(0);
    List<Model> parts = new ArrayList<>();
    Model next;

    private Model() {}

    static Model of(String name, int id) {
      Model model = new Model();
      model.name = name;
      model.id(id);
      model.cached = 77;
      return model;
    }
  }

  @RemoteValue
  static class Final {
    final int x;

    Final(int x) {
      this.x = x;
    }

    int x() {
      return x;
    }
  }

  @RemoteValue
  static class NoDefault {
    int x;

    NoDefault(int x) {
      this.x = x;
    }
  }

  @RemoteValue
  static class Twice extends Base {
    int id;
  }

  @RemoteValue
  static class Exploding {
    int x;

    Exploding() {
      if (exploding) {
        throw new IllegalStateException("cannot be made");
      }
    }
  }

  static volatile boolean exploding;

  @RemoteValue
  sealed interface Shape permits Circle, Square {}

  @RemoteValue
  record Circle(double radius) implements Shape {}

  @RemoteValue
  record Square(double side) implements Shape {}

  static GridException badValue(ThrowingCallable attempt) {
    GridException bad = catchThrowableOfType(GridException.class, attempt);
    assertThat(bad).as("refused").isNotNull();
    assertThat(bad.status()).as("%s", bad).isEqualTo(Status.BAD_VALUE);
    return bad;
  }

  @Test
  void objectTravelsByItsFields() {
    Model model = Model.of("root", 7);
    model.weights = Tensor.of(new double[] {1, 2}, 2);
    model.parts.add(Model.of("part", 8));
    model.next = Model.of("next", 9);
    Model arrived = roundTrip(codec(), model);
    assertThat(arrived).isNotSameAs(model).isExactlyInstanceOf(Model.class);
    assertThat(arrived.id()).isEqualTo(7);
    assertThat(arrived.cached).as("transient: what the field's initialiser gives").isEqualTo(5);
    assertThat(arrived.name).isEqualTo("root");
    assertThat(arrived.weights).isEqualTo(model.weights);
    assertThat(arrived.parts).hasSize(1);
    assertThat(arrived.parts.get(0).id()).isEqualTo(8);
    assertThat(arrived.next.name).isEqualTo("next");
    assertThat(arrived.next.next).isNull();
  }

  @Test
  void namesAreWrittenOncePerMessage() {
    List<Circle> circles = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      circles.add(new Circle(i));
    }
    byte[] bytes = encode(codec(), circles);
    assertThat(bytes.length).isLessThan(1000 * 13 + 200);
    assertThat(decode(codec(), bytes)).isEqualTo(circles);
  }

  @Test
  void objectIsRefusedBySenderWhenItCannotBeRebuilt() {
    assertThat(badValue(() -> encode(codec(), List.of(new Final(1)))))
        .hasMessageContainingAll("argument 0[0]: ", "field x is final", "TypeCodec", "a record");
    assertThat(badValue(() -> encode(codec(), new NoDefault(1))))
        .hasMessageContaining("no constructor without parameters");
    assertThat(badValue(() -> encode(codec(), new Twice())))
        .hasMessageContaining("two fields named id");
    assertThat(badValue(() -> encode(codec(Thread.class), new Thread())))
        .as("a class of the JDK, although it is allowed")
        .hasMessageContaining("java.lang.Thread");
    assertThat(badValue(() -> encode(codec(), Map.of("key", new Model() {}))))
        .as("an anonymous class is not the annotated one")
        .hasMessageContainingAll("argument 0[\"key\"]: ", "not allowed");
  }

  @Test
  void valueIsBadWhenConstructorThrows() {
    byte[] bytes = encode(codec(), List.of(1, new Exploding()));
    exploding = true;
    try {
      assertThat(badValue(() -> decode(codec(), bytes)))
          .hasMessageContainingAll("argument 0[1]", "cannot make a", "cannot be made");
    } finally {
      exploding = false;
    }
  }

  /** Two versions of one class, told apart by the names in the bytes, of the same length. */
  @RemoteValue
  record NewForm(String name, int count, Optional<String> note) {}

  @RemoteValue
  record OldForm(int count, long extra, String name, List<String> more) {}

  private static byte[] renamed(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    return text.replace("$NewForm", "$OldForm").getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void bothSidesMayHaveDifferentVersions() {
    byte[] bytes = renamed(encode(codec(), new NewForm("a", 5, Optional.of("dropped"))));
    assertThat(decode(codec(), bytes)).isEqualTo(new OldForm(5, 0, "a", null));
  }

  @Test
  void valueIsBadWhenFieldHasAnotherType() {
    byte[] bytes = encode(codec(), new NewForm("a", 5, Optional.empty()));
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    byte[] swapped =
        text.replace("\u0005count", "\u0004name")
            .replaceFirst("\u0004name", "\u0005count")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertThat(badValue(() -> decode(codec(), swapped)))
        .hasMessageContainingAll("field ", "NewForm is ", "got ", "the same version");
  }

  @Test
  void arraysKeepTheirTypes() {
    ValueCodec codec = codec();
    Shape[] shapes = {new Circle(1), null, new Square(2)};
    assertThat(roundTrip(codec, shapes)).isExactlyInstanceOf(Shape[].class).isEqualTo(shapes);
    Model[][] models = {{Model.of("a", 1)}, {}, null};
    assertThat(roundTrip(codec, models)).isExactlyInstanceOf(Model[][].class);
    double[][][] cube = {{{1, 2}, {3}}, {}, null};
    assertThat(roundTrip(codec, cube)).isDeepEqualTo(cube);
    Integer[] boxes = {1, null};
    assertThat(roundTrip(codec, boxes)).isExactlyInstanceOf(Integer[].class).isEqualTo(boxes);
    Object[] mixed = {1, "a", new Object[0], new int[] {1}};
    assertThat(Arrays.deepEquals(roundTrip(codec, mixed), mixed)).isTrue();
    List<?>[] lists = {List.of(1)};
    assertThat(roundTrip(codec, lists)).isEqualTo(lists);
  }

  @Test
  void arraysOfHookValuesKeepTheirType() {
    ValueHook counters =
        new ValueHook() {
          @Override
          public int tag() {
            return 101;
          }

          @Override
          public boolean owns(Class<?> type) {
            return type == AtomicInteger.class;
          }

          @Override
          public Class<?> type() {
            return AtomicInteger.class;
          }

          @Override
          public void write(Object value, Outgoing message, WireOutput out) {
            out.int32(((AtomicInteger) value).get());
          }

          @Override
          public Object read(Incoming message, WireInput in) {
            return new AtomicInteger(in.int32());
          }
        };
    ValueCodec hooked =
        new ValueCodec(
            TestCodecs.allowing(),
            List.of(counters),
            new Codecs(List.of()),
            new ObjectCodecs(List.of()));
    AtomicInteger[] arrived = roundTrip(hooked, new AtomicInteger[] {new AtomicInteger(7), null});
    assertThat(arrived).hasSize(2);
    assertThat(arrived[0]).hasValue(7);
  }

  @Test
  void sharedPartsAreCopied() {
    List<String> shared = List.of("a");
    List<List<String>> arrived = roundTrip(codec(), List.of(shared, shared));
    assertThat(arrived).isEqualTo(List.of(shared, shared));
    assertThat(arrived.get(0)).isNotSameAs(arrived.get(1));
  }

  @Test
  void objectIsRefusedWithPathWhenItContainsItself() {
    Model loop = Model.of("loop", 1);
    loop.parts.add(Model.of("fine", 2));
    loop.parts.add(loop);
    assertThat(badValue(() -> codec().encode(List.of("fine", loop), TestCodecs.request())))
        .hasMessage("argument 1.parts[1]: the value contains itself: this is argument 1 again");
    List<Object> list = new ArrayList<>();
    list.add(Map.of("list", Optional.of(list)));
    assertThat(badValue(() -> encode(codec(), List.of(list))))
        .hasMessageContaining(
            "argument 0[0][0][\"list\"]: the value contains itself: this is argument 0[0]");
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("x".repeat(100), new Object[] {Set.of(1), map});
    assertThat(badValue(() -> encode(codec(), map)))
        .hasMessageContaining("argument 0[\"" + "x".repeat(40) + "...\"][1]: ");
  }

  /** Has a Compact serializer, and no other way to travel. */
  @RemoteValue
  static final class Money {
    final long cents;
    final String currency;
    final Money fee;

    Money(long cents, String currency, Money fee) {
      this.cents = cents;
      this.currency = currency;
      this.fee = fee;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Money m
          && m.cents == cents
          && m.currency.equals(currency)
          && Objects.equals(m.fee, fee);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(cents);
    }
  }

  /** The application's own serializer for Money; version 2 adds what version 1 lacks. */
  record MoneySerializer(int version) implements CompactSerializer<Money> {
    @Override
    public Money read(CompactReader in) {
      boolean complete = version > 1 && in.getFieldKind("currency") == FieldKind.STRING;
      String currency = complete ? in.readString("currency") : "EUR";
      Money fee = in.getFieldKind("fee") == FieldKind.COMPACT ? in.readCompact("fee") : null;
      return new Money(in.readInt64("cents"), currency, fee);
    }

    @Override
    public void write(CompactWriter out, Money money) {
      out.writeInt64("cents", money.cents);
      if (version > 1) {
        out.writeString("currency", money.currency);
        out.writeCompact("fee", money.fee);
      }
    }

    @Override
    public String getTypeName() {
      return "money";
    }

    @Override
    public Class<Money> getCompactClass() {
      return Money.class;
    }
  }

  @Test
  void compactSerializerIsUsed() {
    Money money = new Money(5, "CHF", new Money(1, "EUR", null));
    assertThat(badValue(() -> encode(codec(), money))).hasMessageContaining("CompactSerializer");
    ValueCodec one = TestCodecs.compact(new MoneySerializer(1));
    ValueCodec two = TestCodecs.compact(new MoneySerializer(2));
    assertThat(roundTrip(two, List.of(money))).isEqualTo(List.of(money));
    assertThat(decode(two, encode(one, money))).isEqualTo(new Money(5, "EUR", null));
    assertThat(decode(one, encode(two, money)))
        .isEqualTo(new Money(5, "EUR", new Money(1, "EUR", null)));
  }

  @Test
  void valueIsBadWhenCompactSerializerReadsMissingField() {
    byte[] bytes = encode(TestCodecs.compact(new MoneySerializer(1)), new Money(5, "EUR", null));
    CompactSerializer<Money> strict = new Strict();
    assertThat(badValue(() -> decode(TestCodecs.compact(strict), bytes)))
        .hasMessageContainingAll("argument 0", "Strict could not read", "no field euros");
  }

  /** Wants a field that nobody writes. */
  static final class Strict implements CompactSerializer<Money> {
    @Override
    public Money read(CompactReader in) {
      return new Money(in.readInt32("euros") * 100L, "EUR", null);
    }

    @Override
    public void write(CompactWriter out, Money money) {
      out.writeInt32("cents", 1);
    }

    @Override
    public String getTypeName() {
      return "money";
    }

    @Override
    public Class<Money> getCompactClass() {
      return Money.class;
    }
  }

  @Test
  void compactWriterMethodsHaveReaders() {
    Map<String, Object> samples = new LinkedHashMap<>();
    CompactSerializer<Money> all =
        new CompactSerializer<>() {
          @Override
          public Money read(CompactReader in) {
            for (var method : CompactReader.class.getMethods()) {
              if (!method.getName().startsWith("read")) {
                continue;
              }
              String field = method.getName().substring("read".length());
              Object[] arguments = new Object[method.getParameterCount()];
              arguments[0] = field;
              try {
                Object read = method.invoke(in, arguments);
                assertThat(Objects.deepEquals(read, samples.get(field))).as(field).isTrue();
                String kind = in.getFieldKind(field).name().replace("_", "");
                assertThat(kind).isEqualToIgnoringCase(field);
              } catch (ReflectiveOperationException e) {
                throw new LinkageError(method.toString(), e);
              }
            }
            return new Money(1, "EUR", null);
          }

          @Override
          public void write(CompactWriter out, Money money) {
            for (var method : CompactWriter.class.getMethods()) {
              String field = method.getName().substring("write".length());
              Object sample = sample(method.getParameterTypes()[1]);
              samples.put(field, sample);
              try {
                method.invoke(out, field, sample);
              } catch (ReflectiveOperationException e) {
                throw new LinkageError(method.toString(), e);
              }
            }
          }

          @Override
          public String getTypeName() {
            return "all";
          }

          @Override
          public Class<Money> getCompactClass() {
            return Money.class;
          }
        };
    assertThat(roundTrip(TestCodecs.compact(all), new Money(1, "EUR", null))).isNotNull();
    assertThat(samples).hasSizeGreaterThan(30);
  }

  private static Object sample(Class<?> type) {
    if (type.isPrimitive()) {
      Object array = java.lang.reflect.Array.newInstance(type, 1);
      return java.lang.reflect.Array.get(array, 0);
    }
    return type.isArray() ? java.lang.reflect.Array.newInstance(type.getComponentType(), 2) : null;
  }
}
