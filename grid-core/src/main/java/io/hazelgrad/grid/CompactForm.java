package io.hazelgrad.grid;

import com.hazelcast.nio.serialization.FieldKind;
import com.hazelcast.nio.serialization.compact.CompactReader;
import com.hazelcast.nio.serialization.compact.CompactSerializer;
import com.hazelcast.nio.serialization.compact.CompactWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A class that the application has a Hazelcast {@link CompactSerializer} for. The serializer names
 * and orders the fields; their bytes are ours, not Compact's. Compact's own reader makes arrays of
 * whatever length arrives, and objects of whatever class a schema names, so it must not see what a
 * peer sent; and its fields could hold no tensor and no reference.
 *
 * <p>The two interfaces have about 150 methods of two shapes, so they are proxies: {@code
 * writeX(name, value)} keeps a field, {@code readX(name)} and {@code readX(name, default)} return
 * it. {@code getFieldKind} gives the kind that is not nullable where Compact has two.
 */
final class CompactForm implements ObjectForms.Form {
  private static final Map<Class<?>, FieldKind> KINDS =
      Map.ofEntries(
          Map.entry(Boolean.class, FieldKind.BOOLEAN),
          Map.entry(Byte.class, FieldKind.INT8),
          Map.entry(Short.class, FieldKind.INT16),
          Map.entry(Integer.class, FieldKind.INT32),
          Map.entry(Long.class, FieldKind.INT64),
          Map.entry(Float.class, FieldKind.FLOAT32),
          Map.entry(Double.class, FieldKind.FLOAT64),
          Map.entry(String.class, FieldKind.STRING),
          Map.entry(BigDecimal.class, FieldKind.DECIMAL),
          Map.entry(LocalTime.class, FieldKind.TIME),
          Map.entry(LocalDate.class, FieldKind.DATE),
          Map.entry(LocalDateTime.class, FieldKind.TIMESTAMP),
          Map.entry(OffsetDateTime.class, FieldKind.TIMESTAMP_WITH_TIMEZONE),
          Map.entry(boolean[].class, FieldKind.ARRAY_OF_BOOLEAN),
          Map.entry(byte[].class, FieldKind.ARRAY_OF_INT8),
          Map.entry(short[].class, FieldKind.ARRAY_OF_INT16),
          Map.entry(int[].class, FieldKind.ARRAY_OF_INT32),
          Map.entry(long[].class, FieldKind.ARRAY_OF_INT64),
          Map.entry(float[].class, FieldKind.ARRAY_OF_FLOAT32),
          Map.entry(double[].class, FieldKind.ARRAY_OF_FLOAT64),
          Map.entry(String[].class, FieldKind.ARRAY_OF_STRING),
          Map.entry(BigDecimal[].class, FieldKind.ARRAY_OF_DECIMAL),
          Map.entry(LocalTime[].class, FieldKind.ARRAY_OF_TIME),
          Map.entry(LocalDate[].class, FieldKind.ARRAY_OF_DATE),
          Map.entry(LocalDateTime[].class, FieldKind.ARRAY_OF_TIMESTAMP),
          Map.entry(OffsetDateTime[].class, FieldKind.ARRAY_OF_TIMESTAMP_WITH_TIMEZONE));

  private final CompactSerializer<?> serializer;

  CompactForm(CompactSerializer<?> serializer) {
    this.serializer = serializer;
  }

  @Override
  public ObjectForms.Fields take(Object value) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    InvocationHandler keep =
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return method.invoke(fields, arguments);
          }
          fields.put((String) arguments[0], arguments[1]);
          return null;
        };
    try {
      write(serializer, value, proxy(CompactWriter.class, keep));
    } catch (RuntimeException e) {
      throw failed("write", e);
    }
    return new ObjectForms.Fields(List.copyOf(fields.keySet()), new ArrayList<>(fields.values()));
  }

  private static <T> void write(CompactSerializer<T> serializer, Object value, CompactWriter out) {
    serializer.write(out, serializer.getCompactClass().cast(value));
  }

  @Override
  public Object make(List<String> names, List<@Nullable Object> values) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      if (fields.containsKey(names.get(i))) {
        throw ObjectForms.twice(serializer.getCompactClass(), names.get(i));
      }
      fields.put(names.get(i), values.get(i));
    }
    Object made;
    try {
      made = serializer.read(proxy(CompactReader.class, (p, m, a) -> read(fields, m, a)));
    } catch (RuntimeException | LinkageError e) {
      throw failed("read", e);
    }
    if (!serializer.getCompactClass().isInstance(made)) {
      throw failed("read", new ClassCastException("it gave " + made));
    }
    return made;
  }

  private static @Nullable Object read(
      Map<String, @Nullable Object> fields, Method method, @Nullable Object[] arguments)
      throws ReflectiveOperationException {
    if (method.getDeclaringClass() == Object.class) {
      return method.invoke(fields, arguments);
    }
    String name = String.valueOf(arguments[0]);
    Object value = fields.get(name);
    if (method.getReturnType() == FieldKind.class) {
      return !fields.containsKey(name)
          ? FieldKind.NOT_AVAILABLE
          : value == null
              ? FieldKind.COMPACT
              : KINDS.getOrDefault(
                  value.getClass(),
                  value instanceof Object[] ? FieldKind.ARRAY_OF_COMPACT : FieldKind.COMPACT);
    }
    if (fields.containsKey(name)) {
      return fitting(name, value, method.getReturnType());
    }
    boolean ofCompact = method.getName().equals("readArrayOfCompact"); // Has a class in between.
    if (arguments.length > (ofCompact ? 2 : 1)) {
      return arguments[arguments.length - 1];
    }
    throw new IllegalArgumentException("there is no field " + name);
  }

  private static @Nullable Object fitting(String name, @Nullable Object value, Class<?> wanted) {
    if (Callables.fits(wanted, value)) {
      return value;
    }
    throw new IllegalArgumentException(
        "field "
            + name
            + " is a "
            + (value == null ? "null" : value.getClass().getTypeName())
            + ", not "
            + wanted.getTypeName());
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(CompactForm.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private GridException failed(String what, Throwable thrown) {
    return thrown instanceof GridException known
        ? known
        : new GridException(
            Status.BAD_VALUE,
            serializer.getClass().getName()
                + " could not "
                + what
                + " a "
                + serializer.getCompactClass().getName()
                + ": "
                + thrown,
            thrown);
  }
}
