package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TypeCodec;
import io.hazelgrad.grid.ValueOutput;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.ValueCodec.Tag;
import io.hazelgrad.grid.spi.DeviceMap;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.TensorSink;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Writes the values of one message. Names of classes and fields are written once per message, then
 * by number. The path is not taken back when something throws: it shows where.
 */
final class ValueWriter implements ValueOutput {
  private static final int ROOM = 128;

  private final ValueCodec codec;
  private final Codecs.Table own;
  private final Outgoing message;
  private final ValuePath path;
  private final WireOutput out;
  private @Nullable Map<String, Integer> names;

  /** Why a codec could not write something inside; the codec cannot swallow it. */
  private @Nullable GridException broken;

  ValueWriter(ValueCodec codec, Outgoing message) {
    this.codec = codec;
    this.own = codec.codecs().now();
    this.message = message;
    this.path = new ValuePath(message.isRequest());
    this.out =
        new WireOutput(ROOM, message.attachment(TensorSink.class))
            .devices(message.attachment(DeviceMap.class));
  }

  WireOutput all(List<@Nullable Object> values) {
    out.varint(values.size());
    boolean isCall = message.isRequest() && !message.call().kind().isService();
    TypeCodec<Object> whole = isCall ? codec.codecs().replacement() : null;
    for (int i = 0; i < values.size(); i++) {
      path.start(i);
      try {
        Object value = values.get(i);
        if (whole == null
            || value == null
            || codec.hooks().stream().anyMatch(hook -> hook.owns(value.getClass()))) {
          write(value);
        } else {
          own(value, whole);
        }
      } catch (RuntimeException | StackOverflowError | LinkageError e) {
        throw located(e);
      }
    }
    return out;
  }

  /** Says where something went wrong; once. */
  private GridException located(Throwable thrown) {
    return thrown == broken ? broken : path.failure(thrown, "read");
  }

  private void write(@Nullable Object value) {
    if (value == null) {
      out.int8(Tag.NULL);
    } else if (value instanceof Boolean b) {
      out.int8(b ? Tag.TRUE : Tag.FALSE);
    } else if (value instanceof Integer i) {
      out.int8(Tag.INT).int32(i);
    } else if (value instanceof Long l) {
      out.int8(Tag.LONG).int64(l);
    } else if (value instanceof Double d) {
      out.int8(Tag.DOUBLE).float64(d);
    } else if (value instanceof Float f) {
      out.int8(Tag.FLOAT).int32(Float.floatToRawIntBits(f));
    } else if (value instanceof String s) {
      string(s);
    } else if (value instanceof Tensor t) {
      out.int8(Tag.TENSOR).tensor(t);
    } else if (value instanceof Byte b) {
      out.int8(Tag.BYTE).int8(b);
    } else if (value instanceof Short s) {
      out.int8(Tag.SHORT).int32(s);
    } else if (value instanceof Character c) {
      out.int8(Tag.CHAR).int32(c);
    } else {
      writeOther(value);
    }
  }

  private void string(String value) {
    int start = out.size();
    if (!out.int8(Tag.STRING).tryUtf(value)) {
      out.cut(start);
      PrimitiveArrayCodec.chars(value, out.int8(Tag.CHARS));
    }
  }

  private void writeOther(Object value) {
    Class<?> type = value.getClass();
    TypeCodec<?> typed = own.of(type);
    if (typed != null) {
      own(value, typed);
    } else if (!hooked(value, type) && !JdkValueCodec.write(value, out)) {
      writeStructure(value, type);
    }
  }

  private boolean hooked(Object value, Class<?> type) {
    for (ValueHook hook : codec.hooks()) {
      if (hook.owns(type)) {
        out.int8(hook.tag());
        hook.write(value, message, out);
        return true;
      }
    }
    return false;
  }

  private void writeStructure(Object value, Class<?> type) {
    if (value instanceof Worker w) {
      out.int8(Tag.WORKER).utf(w.name()).int64(w.id()).uuid(w.incarnation());
    } else if (value instanceof Enum<?> constant) {
      enumConstant(constant);
    } else if (type.isArray()) {
      array(value, type);
    } else if (value instanceof List<?> list) {
      elements(Tag.LIST, list);
    } else if (value instanceof Map<?, ?> map) {
      map(map);
    } else if (value instanceof Set<?> set) {
      elements(Tag.SET, set);
    } else if (value instanceof Optional<?> optional) {
      out.int8(Tag.OPTIONAL);
      path.enter(value);
      write(optional.orElse(null));
      path.leave();
    } else {
      object(value, type);
    }
  }

  private void elements(int tag, Collection<?> collection) {
    path.enter(collection);
    out.int8(tag);
    elements(collection.toArray()); // One look, should it be changing.
  }

  /** Writes the elements of what was entered, and leaves it. */
  private void elements(@Nullable Object[] elements) {
    out.varint(elements.length);
    for (Object element : elements) {
      path.element();
      write(element);
    }
    path.leave();
  }

  private void map(Map<?, ?> map) {
    path.enter(map);
    Object[] entries = map.entrySet().toArray();
    out.int8(Tag.MAP).varint(entries.length);
    for (Object each : entries) {
      Map.Entry<?, ?> entry = (Map.Entry<?, ?>) each;
      Object key = entry.getKey();
      path.key();
      write(key);
      path.value(key);
      write(entry.getValue());
    }
    path.leave();
  }

  private void array(Object array, Class<?> type) {
    if (type.getComponentType().isPrimitive()) {
      out.int8(Tag.PRIMITIVES);
      PrimitiveArrayCodec.write(array, out);
      return;
    }
    ArrayType shape = ArrayType.of(type);
    if (!shape.canTravel(codec, own)) {
      String why = isNameable(shape.base()) ? notAllowed(shape.base()) : "send a list";
      throw ValueCodec.bad("an array of " + shape.base().getName() + " cannot travel: " + why);
    }
    path.enter(array);
    out.int8(Tag.ARRAY).int8(shape.dimensions());
    name(shape.base().getName());
    elements((@Nullable Object[]) array);
  }

  private void enumConstant(Enum<?> constant) {
    Class<?> declaring = constant.getDeclaringClass();
    if (!codec.allowed().allowsValue(declaring)) {
      throw ValueCodec.bad(notAllowed(declaring));
    }
    out.int8(Tag.ENUM);
    name(declaring.getName());
    name(constant.name());
  }

  private void object(Object value, Class<?> type) {
    if (value instanceof Future<?>) {
      throw ValueCodec.bad("a future cannot travel: wait for it, and send its value");
    }
    if (!codec.allowed().allowsValue(type)) {
      throw ValueCodec.bad(
          isNameable(type)
              ? notAllowed(type)
              : "a value of class " + type.getName() + " cannot travel; " + remedy(value));
    }
    path.enter(value);
    ObjectCodecs.Fields fields = codec.forms().of(type).take(value);
    List<String> fieldNames = fields.names();
    out.int8(Tag.OBJECT);
    name(type.getName());
    out.varint(fieldNames.size());
    for (int i = 0; i < fieldNames.size(); i++) {
      String field = fieldNames.get(i);
      path.field(field);
      name(field);
      write(fields.values().get(i));
    }
    path.leave();
  }

  /** Writes what a codec of the application's own writes, and before it how long it is. */
  private <T> void own(Object value, TypeCodec<T> typed) {
    path.enter(value);
    out.int8(Tag.OWN);
    name(typed.name());
    int gap = out.gap();
    try {
      typed.write(typed.type().cast(value), this);
    } catch (Exception | StackOverflowError | LinkageError e) {
      throw broken != null ? broken : ValuePath.failure(typed, "write", e);
    }
    if (broken != null) {
      throw broken;
    }
    out.fill(gap, out.size() - gap - Integer.BYTES);
    path.leave();
  }

  @Override
  public WireOutput raw() {
    return out;
  }

  @Override
  public void value(@Nullable Object value) {
    if (broken != null) {
      throw broken;
    }
    path.element();
    try {
      write(value);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      broken = located(e);
      throw broken;
    }
  }

  private void name(String name) {
    Map<String, Integer> known = names == null ? new HashMap<>() : names;
    names = known;
    Integer number = known.putIfAbsent(name, known.size() + 1);
    if (number != null) {
      out.varint(number);
    } else {
      out.varint(0).utf(name);
    }
  }

  /** Returns whether to name the class on the allow-list would help. */
  private static boolean isNameable(Class<?> type) {
    return type.isEnum() || type.isRecord() || ObjectCodecs.isOrdinary(type);
  }

  private static String notAllowed(Class<?> type) {
    return ("values of %s are not allowed: annotate it with @RemoteValue, or name it in"
            + " HazelgradConfig.builder().values(...), or give the grid a TypeCodec for it, on both"
            + " sides")
        .formatted(type.getName());
  }

  private static String remedy(Object value) {
    return value instanceof Collection<?>
        ? "send a copy of it, new ArrayList<>(...)"
        : "values are null, primitives, strings, numbers and times of the JDK, arrays, lists, sets,"
            + " maps, tensors, workers, RRefs, enums, records and objects of classes marked"
            + " @RemoteValue, and what a TypeCodec of the grid carries";
  }
}
