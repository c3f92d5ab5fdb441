package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.TypeCodec;
import io.hazelgrad.grid.ValueInput;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.ValueCodec.Tag;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one message, which may be damaged or hostile. Its rules:
 *
 * <ul>
 *   <li>every failure is BAD_VALUE or NOT_ALLOWED, also those of the application's own code;
 *   <li>no class is used that is not allowed, and no initialiser of one is run;
 *   <li>memory is a small multiple of the bytes read so far, never of a number that they claim;
 *   <li>nesting is bounded, and so is the work per element: see {@link HashCheck}.
 * </ul>
 */
final class ValueReader implements ValueInput {
  /** Room is made for so many elements at once; a counter that lies costs no more than that. */
  private static final int ROOM = 64;

  /** The longest name of a class, a field or a codec, in bytes. */
  private static final int MAX_NAME = 2048;

  /**
   * The check of the keys of a map while they are read. Keys of the same hash make a map slow, to
   * the square of their number, unless they are comparable as the JDK's own values are. A peer that
   * sends too many of them is refused, before the map is slow.
   */
  private static final class HashCheck {
    /** So many keys of one hash are taken; honest keys come nowhere near. */
    private static final int SAME_HASH = 512;

    private final Map<Integer, Integer> hashes = new HashMap<>();
    private int seen;

    void check(@Nullable Object key) {
      if (key == null
          || (key instanceof Comparable<?> && key.getClass().getClassLoader() == null)) {
        return;
      }
      // Below that number nothing can be slow, so nothing is counted.
      if (++seen > SAME_HASH && hashes.merge(key.hashCode(), 1, Integer::sum) > SAME_HASH) {
        throw ValueCodec.bad(
            "more than %s keys have the same hash, of class %s"
                .formatted(SAME_HASH, key.getClass().getName()));
      }
    }
  }

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
    return thrown == broken ? broken : path.failure(thrown, "made");
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
      case Tag.ENUM -> ObjectCodecs.constant(codec.allowed().valueClass(name()), name());
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
    HashCheck keys = new HashCheck();
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
    HashCheck keys = new HashCheck();
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
            "element %s is a %s, in an array of %s"
                .formatted(i, element.getClass().getTypeName(), component.getTypeName()));
      }
      Array.set(array, i, element);
    }
    return array;
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
      throw ValueCodec.bad(
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
      throw broken != null ? broken : ValuePath.failure(typed, "read", e);
    }
    if (broken != null) {
      throw broken;
    }
    if (!typed.type().isInstance(value)) {
      String gave = value == null ? "null" : value.getClass().getName();
      throw ValuePath.failure(typed, "read", in.damaged("it gave " + gave));
    }
    path.leave();
    return value;
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
    List<String> known = names == null ? new ArrayList<>() : names;
    names = known;
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
