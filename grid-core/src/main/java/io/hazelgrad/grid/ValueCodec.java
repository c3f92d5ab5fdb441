package io.hazelgrad.grid;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.TensorSink;
import io.hazelgrad.grid.spi.TensorSource;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The wire form of values: a tag, then the value. Allowed are null, primitives and their boxes,
 * strings, arrays of primitives, strings and objects, lists, maps, enums and records of the
 * allow-list, {@link Tensor}, {@link Worker}, and what a {@link ValueHook} owns. Everything else is
 * refused where it is written.
 */
final class ValueCodec {
  /** Deeper nesting is refused; so a cycle ends here instead of in a stack overflow. */
  private static final int MAX_DEPTH = 64;

  private static final int NULL = 0;
  private static final int TRUE = 1;
  private static final int FALSE = 2;
  private static final int BYTE = 3;
  private static final int SHORT = 4;
  private static final int CHAR = 5;
  private static final int INT = 6;
  private static final int LONG = 7;
  private static final int FLOAT = 8;
  private static final int DOUBLE = 9;
  private static final int STRING = 10;
  private static final int LIST = 11;
  private static final int MAP = 12;
  private static final int ARRAY = 13;
  private static final int PRIMITIVES = 14;
  private static final int ENUM = 15;
  private static final int RECORD = 16;
  private static final int TENSOR = 17;
  private static final int WORKER = 18;

  /** A string with half a surrogate pair, which UTF-8 cannot express. */
  private static final int CHARS = 19;

  /** Room is made for so many elements at once; a counter that lies costs no more than that. */
  private static final int ROOM = 64;

  private final AllowList allowed;
  private final List<ValueHook> hooks;

  ValueCodec(AllowList allowed, List<ValueHook> hooks) {
    this.allowed = allowed;
    this.hooks = hooks;
  }

  /** Writes the values of a message. */
  byte[] encode(List<@Nullable Object> values, Outgoing message) {
    WireOutput out = new WireOutput(128, message.attachment(TensorSink.class));
    out.varint(values.size());
    for (int i = 0; i < values.size(); i++) {
      try {
        write(values.get(i), message, out, 0);
      } catch (GridException e) {
        String which = message.isRequest() ? "argument " + i : "the result";
        throw new GridException(e.status(), which + ": " + e.getMessage(), e);
      }
    }
    return out.toBytes();
  }

  /** Reads the values of a message. */
  List<@Nullable Object> decode(byte[] bytes, Incoming message) {
    WireInput in = new WireInput(bytes, message.attachment(TensorSource.class));
    List<@Nullable Object> values = readElements(in.count(1), in, message, -1);
    in.end();
    return values;
  }

  private void write(@Nullable Object value, Outgoing message, WireOutput out, int depth) {
    if (depth > MAX_DEPTH) {
      throw bad("a value is nested deeper than " + MAX_DEPTH + " levels, or contains itself");
    }
    if (value == null) {
      out.int8(NULL);
    } else if (value instanceof Boolean b) {
      out.int8(b ? TRUE : FALSE);
    } else if (value instanceof Integer i) {
      out.int8(INT).int32(i);
    } else if (value instanceof Long l) {
      out.int8(LONG).int64(l);
    } else if (value instanceof Double d) {
      out.int8(DOUBLE).float64(d);
    } else if (value instanceof Float f) {
      out.int8(FLOAT).int32(Float.floatToRawIntBits(f));
    } else if (value instanceof String s) {
      writeString(s, out);
    } else if (value instanceof Tensor t) {
      out.int8(TENSOR).tensor(t);
    } else if (value instanceof Byte b) {
      out.int8(BYTE).int8(b);
    } else if (value instanceof Short s) {
      out.int8(SHORT).int32(s);
    } else if (value instanceof Character c) {
      out.int8(CHAR).int32(c);
    } else if (value instanceof List<?> list) {
      @Nullable Object[] elements = list.toArray(); // One look, should the list be changing.
      out.int8(LIST).varint(elements.length);
      for (Object element : elements) {
        write(element, message, out, depth + 1);
      }
    } else if (value instanceof Map<?, ?> map) {
      List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
      out.int8(MAP).varint(entries.size());
      for (Map.Entry<?, ?> entry : entries) {
        write(entry.getKey(), message, out, depth + 1);
        write(entry.getValue(), message, out, depth + 1);
      }
    } else if (value instanceof Worker w) {
      out.int8(WORKER).utf(w.name()).int64(w.id()).uuid(w.incarnation());
    } else if (value.getClass().isArray()) {
      writeArray(value, message, out, depth);
    } else {
      writeTyped(value, message, out, depth);
    }
  }

  private static void writeString(String value, WireOutput out) {
    if (value.equals(new String(value.getBytes(UTF_8), UTF_8))) {
      out.int8(STRING).utf(value);
    } else {
      out.int8(CHARS);
      PrimitiveArrays.write(value.toCharArray(), out);
    }
  }

  private static String readChars(WireInput in) {
    if (PrimitiveArrays.read(in) instanceof char[] chars) {
      return new String(chars);
    }
    throw in.damaged("a string of something else than chars");
  }

  private void writeTyped(Object value, Outgoing message, WireOutput out, int depth) {
    Class<?> type = value.getClass();
    for (ValueHook hook : hooks) {
      if (hook.owns(type)) {
        out.int8(hook.tag());
        hook.write(value, message, out);
        return;
      }
    }
    if (value instanceof Enum<?> constant) {
      Class<?> declaring = constant.getDeclaringClass();
      requireAllowed(declaring);
      out.int8(ENUM).utf(declaring.getName()).utf(constant.name());
    } else if (type.isRecord()) {
      requireAllowed(type);
      Records shape = Records.of(type);
      out.int8(RECORD).utf(type.getName()).varint(shape.size());
      for (Object component : shape.components(value)) {
        write(component, message, out, depth + 1);
      }
    } else if (value instanceof Future<?>) {
      throw bad("a future cannot travel: wait for it, and send its value");
    } else {
      throw bad(
          "a value of class "
              + type.getName()
              + " cannot travel; values are null, primitives, strings, arrays, lists, maps,"
              + " tensors, workers, RRefs, and enums and records marked @RemoteValue");
    }
  }

  private void requireAllowed(Class<?> type) {
    if (!allowed.allowsValue(type)) {
      throw bad(
          "values of "
              + type.getName()
              + " are not allowed: annotate it with @RemoteValue, or name it in"
              + " HazelgradConfig.builder().values(...), on both sides");
    }
  }

  private void writeArray(Object array, Outgoing message, WireOutput out, int depth) {
    int length = Array.getLength(array);
    Class<?> component = array.getClass().getComponentType();
    if (component.isPrimitive()) {
      out.int8(PRIMITIVES);
      PrimitiveArrays.write(array, out);
      return;
    }
    if (component != String.class && component != Object.class && component != Tensor.class) {
      throw bad(
          "an array of " + component.getTypeName() + " cannot travel; send a list, or an Object[]");
    }
    out.int8(ARRAY)
        .int8(component == String.class ? 0 : component == Tensor.class ? 1 : 2)
        .varint(length);
    for (int i = 0; i < length; i++) {
      write(Array.get(array, i), message, out, depth + 1);
    }
  }

  private @Nullable Object read(WireInput in, Incoming message, int depth) {
    if (depth > MAX_DEPTH) {
      throw in.damaged("nested deeper than " + MAX_DEPTH + " levels");
    }
    int tag = in.int8();
    return switch (tag) {
      case NULL -> null;
      case TRUE -> true;
      case FALSE -> false;
      case BYTE -> in.int8();
      case SHORT -> (short) in.int32();
      case CHAR -> (char) in.int32();
      case INT -> in.int32();
      case LONG -> in.int64();
      case FLOAT -> Float.intBitsToFloat(in.int32());
      case DOUBLE -> in.float64();
      case STRING -> in.utf();
      case CHARS -> readChars(in);
      case TENSOR -> in.tensor();
      case WORKER -> new Worker(in.utf(), in.int64(), in.uuid());
      case PRIMITIVES -> PrimitiveArrays.read(in);
      case LIST -> readList(in, message, depth);
      case MAP -> readMap(in, message, depth);
      case ARRAY -> readArray(in, message, depth);
      case ENUM -> readEnum(in);
      case RECORD -> readRecord(in, message, depth);
      default -> readHooked(tag, in, message);
    };
  }

  private List<@Nullable Object> readList(WireInput in, Incoming message, int depth) {
    return readElements(in.count(1), in, message, depth);
  }

  private List<@Nullable Object> readElements(
      int count, WireInput in, Incoming message, int depth) {
    List<@Nullable Object> list = new ArrayList<>(Math.min(count, ROOM));
    for (int i = 0; i < count; i++) {
      list.add(read(in, message, depth + 1));
    }
    return list;
  }

  private Map<@Nullable Object, @Nullable Object> readMap(
      WireInput in, Incoming message, int depth) {
    int count = in.count(2);
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      Object key = read(in, message, depth + 1);
      Object value = read(in, message, depth + 1);
      try {
        map.put(key, value);
      } catch (RuntimeException | LinkageError e) { // hashCode() and equals() of a record.
        throw new GridException(Status.BAD_VALUE, "a map's key cannot be used: " + e, e);
      }
    }
    return map;
  }

  private Object readArray(WireInput in, Incoming message, int depth) {
    int kind = in.int8();
    Class<?> component =
        switch (kind) {
          case 0 -> String.class;
          case 1 -> Tensor.class;
          case 2 -> Object.class;
          default -> throw in.damaged("array kind " + kind);
        };
    List<@Nullable Object> elements = readElements(in.count(1), in, message, depth);
    Object array = Array.newInstance(component, elements.size());
    for (int i = 0; i < elements.size(); i++) {
      Object element = elements.get(i);
      if (element != null && !component.isInstance(element)) {
        throw in.damaged("an element of " + element.getClass() + " in an array of " + component);
      }
      Array.set(array, i, element);
    }
    return array;
  }

  private Object readEnum(WireInput in) {
    Class<?> type = allowed.valueClass(in.utf());
    String name = in.utf();
    for (Object constant : constants(type)) {
      if (((Enum<?>) constant).name().equals(name)) {
        return constant;
      }
    }
    throw in.damaged(type.getName() + " has no constant " + name);
  }

  private static Object[] constants(Class<?> type) {
    try {
      Object[] constants = type.getEnumConstants();
      return constants == null ? new Object[0] : constants;
    } catch (LinkageError e) {
      throw new GridException(Status.BAD_VALUE, "cannot load " + type.getName() + ": " + e, e);
    }
  }

  private Object readRecord(WireInput in, Incoming message, int depth) {
    Class<?> type = allowed.valueClass(in.utf());
    if (!type.isRecord()) {
      throw in.damaged(type.getName() + " is no record");
    }
    Records shape = Records.of(type);
    int count = in.count(1);
    if (count != shape.size()) {
      throw in.damaged(
          type.getName()
              + " has "
              + shape.size()
              + " components here, and "
              + count
              + " at the sender");
    }
    @Nullable Object[] components = new @Nullable Object[count];
    for (int i = 0; i < count; i++) {
      components[i] = read(in, message, depth + 1);
    }
    return shape.create(components);
  }

  private Object readHooked(int tag, WireInput in, Incoming message) {
    for (ValueHook hook : hooks) {
      if (hook.tag() == tag) {
        return hook.read(message, in);
      }
    }
    throw in.damaged("value tag " + tag);
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_VALUE, message);
  }

  /** How to take a record class apart and put it together. */
  private record Records(Class<?> type, List<RecordComponent> parts, Constructor<?> constructor) {
    private static final ClassValue<Records> CACHE =
        new ClassValue<>() {
          @Override
          protected Records computeValue(Class<?> type) {
            RecordComponent[] parts = type.getRecordComponents();
            try {
              for (RecordComponent part : parts) {
                part.getAccessor().setAccessible(true);
              }
              Class<?>[] types =
                  Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new);
              Constructor<?> constructor = type.getDeclaredConstructor(types);
              constructor.setAccessible(true);
              return new Records(type, List.of(parts), constructor);
            } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
              throw new GridException(
                  Status.BAD_VALUE,
                  "no access to the components of " + type.getName() + ": " + e.getMessage(),
                  e);
            }
          }
        };

    static Records of(Class<?> type) {
      return CACHE.get(type);
    }

    int size() {
      return parts.size();
    }

    List<@Nullable Object> components(Object record) {
      List<@Nullable Object> values = new ArrayList<>(parts.size());
      try {
        for (RecordComponent part : parts) {
          values.add(part.getAccessor().invoke(record));
        }
      } catch (ReflectiveOperationException e) {
        throw new GridException(
            Status.BAD_VALUE, "an accessor of " + type.getName() + " failed: " + reason(e), e);
      }
      return values;
    }

    Object create(@Nullable Object[] values) {
      try {
        return constructor.newInstance(values);
      } catch (ReflectiveOperationException | IllegalArgumentException | LinkageError e) {
        throw new GridException(
            Status.BAD_VALUE,
            "cannot make a " + type.getName() + " of what arrived: " + reason(e),
            e);
      }
    }

    private static Throwable reason(Throwable thrown) {
      return thrown.getCause() == null ? thrown : thrown.getCause();
    }
  }
}
