package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.TypeCodec;
import io.hazelgrad.grid.ValueInput;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.ValueCodec.Tag;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one message, which may be damaged or hostile. What it holds to:
 *
 * <ul>
 *   <li>every failure is BAD_VALUE or NOT_ALLOWED, also those of the application's own code;
 *   <li>no class is used that is not allowed, and no initialiser of one is run;
 *   <li>memory is a small multiple of the bytes read so far, never of a number that they claim;
 *   <li>nesting is bounded, and so is the work per element: see {@link MapKeyWatcher}.
 * </ul>
 */
final class ValueReader implements ValueInput {
  /** Room is made for so many elements at once; a counter that lies costs no more than that. */
  private static final int ROOM = 64;

  /** The longest name of a class, a field or a codec, in bytes. */
  private static final int MAX_NAME = 2048;

  private final ValueCodec codec;
  private final Codecs.Table own;
  private final WireInput in;
  private final Incoming message;
  private final ValuePath path;
  private @Nullable List<String> names;

  /** Why a codec could not read something inside; the codec cannot swallow it. */
  private @Nullable GridException broken;

  ValueReader(ValueCodec codec, WireInput in, Incoming message) {
    this.codec = codec;
    this.own = codec.codecs().now();
    this.in = in;
    this.message = message;
    this.path = new ValuePath(message.isRequest());
  }

  List<@Nullable Object> all() {
    int count = in.count(1);
    List<@Nullable Object> values = new ArrayList<>(Math.min(count, ROOM));
    for (int i = 0; i < count; i++) {
      path.start(i);
      try {
        values.add(read());
      } catch (RuntimeException | StackOverflowError | LinkageError e) {
        throw located(e);
      }
    }
    in.end();
    return values;
  }

  /** Says where something went wrong; once. */
  private GridException located(Throwable thrown) {
    if (thrown == broken) {
      return broken;
    }
    if (thrown instanceof GridException known) {
      return new GridException(known.status(), path + ": " + known.getMessage(), known);
    }
    return new GridException(
        Status.BAD_VALUE, path + ": the value could not be made: " + thrown, thrown);
  }

  private @Nullable Object read() {
    int tag = in.int8();
    return switch (tag) {
      case Tag.NULL -> null;
      case Tag.TRUE -> true;
      case Tag.FALSE -> false;
      case Tag.BYTE -> in.int8();
      case Tag.SHORT -> (short) in.int32();
      case Tag.CHAR -> (char) in.int32();
      case Tag.INT -> in.int32();
      case Tag.LONG -> in.int64();
      case Tag.FLOAT -> Float.intBitsToFloat(in.int32());
      case Tag.DOUBLE -> in.float64();
      case Tag.STRING -> in.utf();
      case Tag.CHARS -> new String(PrimitiveArrayCodec.chars(in));
      case Tag.TENSOR -> in.tensor();
      case Tag.WORKER -> new Worker(in.utf(), in.int64(), in.uuid());
      case Tag.PRIMITIVES -> PrimitiveArrayCodec.read(in);
      case Tag.LIST -> list();
      case Tag.SET -> set();
      case Tag.MAP -> map();
      case Tag.ARRAY -> array();
      case Tag.ENUM -> enumConstant();
      case Tag.OPTIONAL -> optional();
      case Tag.OBJECT -> object();
      case Tag.OWN -> own();
      default -> JdkValueCodec.isTag(tag) ? JdkValueCodec.read(tag, in) : hooked(tag);
    };
  }

  private Object hooked(int tag) {
    for (ValueHook hook : codec.hooks()) {
      if (hook.tag() == tag) {
        return hook.read(message, in);
      }
    }
    throw in.damaged("value tag " + tag);
  }

  private List<@Nullable Object> list() {
    path.enter(null);
    int count = in.count(1);
    List<@Nullable Object> list = new ArrayList<>(Math.min(count, ROOM));
    for (int i = 0; i < count; i++) {
      path.element();
      list.add(read());
    }
    path.leave();
    return list;
  }

  private Set<@Nullable Object> set() {
    path.enter(null);
    int count = in.count(1);
    Set<@Nullable Object> set = new LinkedHashSet<>();
    MapKeyWatcher keys = new MapKeyWatcher();
    for (int i = 0; i < count; i++) {
      path.element();
      Object element = read();
      keys.check(element);
      if (!set.add(element)) {
        throw in.damaged("two equal elements of a set");
      }
    }
    path.leave();
    return set;
  }

  private Map<@Nullable Object, @Nullable Object> map() {
    path.enter(null);
    int count = in.count(2);
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    MapKeyWatcher keys = new MapKeyWatcher();
    for (int i = 0; i < count; i++) {
      path.key();
      Object key = read();
      keys.check(key);
      path.value(key);
      map.put(key, read());
      if (map.size() != i + 1) {
        throw in.damaged("two equal keys of a map");
      }
    }
    path.leave();
    return map;
  }

  private Optional<Object> optional() {
    path.enter(null);
    Optional<Object> optional = Optional.ofNullable(read());
    path.leave();
    return optional;
  }

  private Object array() {
    int dimensions = in.int8();
    Class<?> component = ArrayType.component(name(), dimensions, codec, own);
    List<@Nullable Object> elements = list();
    Object array = Array.newInstance(component, elements.size());
    for (int i = 0; i < elements.size(); i++) {
      Object element = elements.get(i);
      if (element != null && !component.isInstance(element)) {
        throw in.damaged(
            "element "
                + i
                + " is a "
                + element.getClass().getTypeName()
                + ", in an array of "
                + component.getTypeName());
      }
      Array.set(array, i, element);
    }
    return array;
  }

  private Object enumConstant() {
    Class<?> type = codec.allowed().valueClass(name());
    return ObjectCodecs.constant(type, name());
  }

  private Object object() {
    Class<?> type = codec.allowed().valueClass(name());
    ObjectCodecs.Form form = codec.forms().of(type);
    path.enter(null);
    int count = in.count(2);
    List<String> fields = new ArrayList<>(Math.min(count, ROOM));
    List<@Nullable Object> values = new ArrayList<>(Math.min(count, ROOM));
    for (int i = 0; i < count; i++) {
      String field = name();
      path.field(field);
      fields.add(field);
      values.add(read());
    }
    path.leave();
    return form.make(fields, values);
  }

  private Object own() {
    String name = name();
    TypeCodec<?> typed = own.named(name);
    if (typed == null) {
      throw new GridException(
          Status.BAD_VALUE,
          "no codec named "
              + name
              + " is in use here: add it to HazelgradConfig.builder().codecs(...), on both sides");
    }
    path.enter(null);
    int outer = in.open(in.int32());
    Object value;
    try {
      value = typed.read(this);
      if (broken == null) {
        in.close(outer);
      }
    } catch (Exception | StackOverflowError | LinkageError e) {
      throw broken != null ? broken : failed(typed, e);
    }
    if (broken != null) {
      throw broken;
    }
    if (!typed.type().isInstance(value)) {
      throw failed(
          typed, in.damaged("it gave " + (value == null ? "null" : value.getClass().getName())));
    }
    path.leave();
    return value;
  }

  private static GridException failed(TypeCodec<?> typed, Throwable thrown) {
    GridException known = thrown instanceof GridException e ? e : null;
    return new GridException(
        known == null ? Status.BAD_VALUE : known.status(),
        "codec "
            + typed.name()
            + " could not read the value: "
            + (known == null ? thrown.toString() : known.getMessage()),
        thrown);
  }

  @Override
  public WireInput raw() {
    return in;
  }

  @Override
  public @Nullable Object value() {
    if (broken != null) {
      throw broken;
    }
    path.element();
    try {
      return read();
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      broken = located(e);
      throw broken;
    }
  }

  private String name() {
    List<String> known = names;
    if (known == null) {
      known = new ArrayList<>();
      names = known;
    }
    long number = in.varint();
    if (number < 0 || number > known.size()) {
      throw in.damaged("name " + number + " of " + known.size());
    }
    if (number > 0) {
      return known.get((int) number - 1);
    }
    String name = in.utf(MAX_NAME);
    known.add(name);
    return name;
  }
}
