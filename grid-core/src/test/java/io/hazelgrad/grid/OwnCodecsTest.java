package io.hazelgrad.grid;

import static io.hazelgrad.grid.ObjectValuesTest.badValue;
import static io.hazelgrad.grid.internal.wire.TestCodecs.codec;
import static io.hazelgrad.grid.internal.wire.TestCodecs.decode;
import static io.hazelgrad.grid.internal.wire.TestCodecs.encode;
import static io.hazelgrad.grid.internal.wire.TestCodecs.roundTrip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.internal.wire.ValueCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Codecs of one's own types. */
public class OwnCodecsTest {
  /** A type that cannot travel otherwise. */
  public static final class Tree {
    final String name;
    public final List<Object> children = new ArrayList<>();

    public Tree(String name) {
      this.name = name;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Tree t && t.name.equals(name) && t.children.equals(children);
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }
  }

  /** Calls the grid's codec again for the children, which may be trees themselves. */
  public static final class TreeCodec implements TypeCodec<Tree> {
    @Override
    public Class<Tree> type() {
      return Tree.class;
    }

    @Override
    public void write(Tree tree, ValueOutput out) {
      out.raw().utf(tree.name).varint(tree.children.size());
      tree.children.forEach(out::value);
    }

    @Override
    public Tree read(ValueInput in) {
      Tree tree = new Tree(in.raw().utf());
      for (int n = in.raw().count(1); n > 0; n--) {
        tree.children.add(in.value());
      }
      return tree;
    }
  }

  public record Pair(Object left, Object right) {}

  /** Of a record that is not allowed. */
  public static final class PairCodec implements TypeCodec<Pair> {
    @Override
    public Class<Pair> type() {
      return Pair.class;
    }

    @Override
    public String name() {
      return "pair";
    }

    @Override
    public void write(Pair pair, ValueOutput out) {
      out.value(pair.left());
      out.value(pair.right());
    }

    @Override
    public Pair read(ValueInput in) {
      return new Pair(in.value(), in.value());
    }
  }

  /** A codec made of lambdas, to be wrong in many ways. */
  record Odd<T>(Class<T> type, String name, BiConsumer<T, ValueOutput> writer, Reader<T> reader)
      implements TypeCodec<T> {
    interface Reader<T> {
      T read(ValueInput in) throws Exception;
    }

    @Override
    public void write(T value, ValueOutput out) {
      writer.accept(value, out);
    }

    @Override
    public T read(ValueInput in) throws Exception {
      return reader.read(in);
    }
  }

  private static Odd<Pair> odd(BiConsumer<Pair, ValueOutput> writer, Odd.Reader<Pair> reader) {
    return new Odd<>(Pair.class, "pair", writer, reader);
  }

  private final Codecs codecs = new Codecs(List.of(new TreeCodec(), new PairCodec()));
  private final ValueCodec codec = codec(codecs);

  @Test
  void typeOfApplicationTravelsAnywhereInValue() {
    Tree tree = new Tree("root");
    tree.children.add(new Tree("left"));
    tree.children.add(Map.of("pair", List.of(new Pair(new Tree("deep"), null))));
    assertThat(roundTrip(codec, List.of(tree, tree))).isEqualTo(List.of(tree, tree));
    Pair[] pairs = {new Pair(1, 2), null};
    assertThat(roundTrip(codec, pairs)).isExactlyInstanceOf(Pair[].class).isEqualTo(pairs);
  }

  @Test
  void receiverFindsCodecByName() {
    byte[] bytes = encode(codec, List.of(1, new Pair(1, 2)));
    assertThat(badValue(() -> decode(codec(), bytes)))
        .hasMessageContainingAll(
            "argument 0[1]: no codec named pair is in use here", "codecs(...)");
  }

  @Test
  void scopeAppliesUntilClosed() {
    assertThat(badValue(() -> encode(codec, new ArrayDeque<>(List.of(1))))).isNotNull();
    Odd<Deque<?>> deque = deques("deque", 1);
    try (Codecs.Scope outer = codecs.with(deque)) {
      assertThat(roundTrip(codec, new ArrayDeque<>(List.of(1, 2)))).containsExactly(1, 2);
      Codecs.Scope inner = codecs.with(deques("deque", 2));
      assertThat(roundTrip(codec, new ArrayDeque<>(List.of(1)))).containsExactly(1, 1);
      inner.close();
      inner.close();
      assertThat(roundTrip(codec, new ArrayDeque<>(List.of(1)))).containsExactly(1);
      assertThat(outer).isNotNull();
    }
    assertThat(badValue(() -> encode(codec, new ArrayDeque<>(List.of(1)))))
        .hasMessageContaining("ArrayDeque cannot travel");
  }

  @Test
  void scopesMayEndInAnyOrder() {
    Codecs.Scope first = codecs.with(deques("one", 1));
    Codecs.Scope second = codecs.with(deques("two", 2));
    first.close();
    assertThat(roundTrip(codec, new ArrayDeque<>(List.of(1)))).containsExactly(1, 1);
    second.close();
    assertThat(badValue(() -> encode(codec, new ArrayDeque<>()))).isNotNull();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // There is no Class<Deque<?>>.
  private static Odd<Deque<?>> deques(String name, int times) {
    return new Odd<>(
        (Class) Deque.class,
        name,
        (deque, out) -> out.value(new ArrayList<>(deque)),
        in -> {
          Deque<Object> deque = new ArrayDeque<>();
          List<?> elements = in.value(List.class);
          for (int i = 0; i < times; i++) {
            deque.addAll(elements);
          }
          return deque;
        });
  }

  @Test
  void codecOfNearestTypeIsUsed() {
    Odd<Number> numbers =
        new Odd<>(Number.class, "n", (n, out) -> out.raw().utf(n.toString()), in -> null);
    try (Codecs.Scope scope = codecs.with(numbers)) {
      assertThat(roundTrip(codec, 7)).as("boxes never have a codec").isEqualTo(7);
      assertThat(scope).isNotNull();
    }
  }

  @Test
  void codecIsNamedWithPathWhenWrong() {
    Pair pair = new Pair(1, 2);
    ValueCodec throwing =
        codec(
            new Codecs(
                List.of(
                    odd(
                        (p, out) -> {
                          throw new IllegalStateException("no way");
                        },
                        in -> pair))));
    assertThat(badValue(() -> encode(throwing, List.of(0, pair))))
        .hasMessageContainingAll("argument 0[1]: codec pair could not write", "no way");
    byte[] bytes = encode(codec, List.of(0, pair));
    assertThat(badValue(() -> decode(reading(in -> new Pair(in.value(), 0)), bytes)))
        .as("reads too little")
        .hasMessageContainingAll("argument 0[1]", "codec pair could not read", "bytes too many");
    assertThat(
            badValue(
                () ->
                    decode(
                        reading(in -> new Pair(in.value(), List.of(in.value(), in.value()))),
                        bytes)))
        .as("reads too much")
        .hasMessageContainingAll("argument 0[1]", "needs 1 more bytes");
    assertThat(badValue(() -> decode(reading(in -> null), encode(empty(), pair))))
        .as("gives nothing")
        .hasMessageContainingAll("codec pair could not read", "it gave null");
    assertThat(
            badValue(
                () ->
                    decode(
                        reading(
                            in -> {
                              throw new java.io.IOException("bad sector");
                            }),
                        bytes)))
        .hasMessageContaining("bad sector");
    assertThat(badValue(() -> decode(reading(in -> new Pair(in.value(String.class), 1)), bytes)))
        .hasMessageContaining("expected a java.lang.String, got java.lang.Integer");
    assertThat(badValue(() -> decode(reading(OwnCodecsTest::endless), bytes)))
        .hasMessageContaining("StackOverflowError");
  }

  private static Pair endless(ValueInput in) {
    return in.raw().remaining() < 0 ? new Pair(1, 2) : new Pair(1, endless(in).left());
  }

  private static ValueCodec reading(Odd.Reader<Pair> reader) {
    return codec(new Codecs(List.of(odd((p, out) -> {}, reader))));
  }

  private static ValueCodec empty() {
    return codec(new Codecs(List.of(odd((p, out) -> {}, in -> null))));
  }

  @Test
  void codecCannotHideInnerFailure() {
    ValueCodec swallowing =
        codec(
            new Codecs(
                List.of(
                    odd(
                        (p, out) -> ignoring(() -> out.value(p.left())),
                        in -> {
                          ignoring(in::value);
                          return new Pair(1, 2);
                        }))));
    assertThat(badValue(() -> encode(swallowing, new Pair(new Object(), 2))))
        .hasMessageContaining("argument 0[0]: a value of class java.lang.Object cannot travel");
    byte[] bytes = encode(swallowing, new Pair(7, 2));
    bytes[bytes.length - 5] = 99;
    assertThat(badValue(() -> decode(swallowing, bytes))).hasMessageContaining("value tag 99");
  }

  private static void ignoring(Runnable step) {
    try {
      step.run();
    } catch (GridException e) {
      assertThat(e.status()).isEqualTo(Status.BAD_VALUE);
    }
  }

  @Test
  void treeIsRefusedWhenItContainsItself() {
    Tree tree = new Tree("root");
    tree.children.add(List.of(tree));
    assertThat(badValue(() -> encode(codec, tree)))
        .hasMessage("argument 0[0][0]: the value contains itself: this is argument 0 again");
  }

  @Test
  void codecsAreCheckedWhenTheyAreAdded() {
    for (TypeCodec<?> wrong :
        List.of(
            new Odd<>(String.class, "s", (v, out) -> {}, in -> ""),
            new Odd<>(int.class, "i", (v, out) -> {}, in -> 1),
            new Odd<>(Pair.class, "", (v, out) -> {}, in -> null))) {
      GridException refused = catchThrowableOfType(GridException.class, () -> codecs.with(wrong));
      assertThat(refused.status()).isEqualTo(Status.BAD_CONFIG);
    }
    try (Codecs.Scope any = codecs.with(new Odd<>(Object.class, "o", (v, out) -> {}, in -> ""))) {
      assertThat(any).isNotNull();
      assertThat(codecs.now().of(StringBuilder.class)).isNull();
      assertThat(codecs.now().named("o")).isNotNull();
    }
    GridException twice =
        catchThrowableOfType(
            GridException.class,
            () -> HazelgradConfig.named("a").codecs(new PairCodec(), new PairCodec()));
    assertThat(twice).hasMessageContaining("two codecs are named pair");
  }
}
