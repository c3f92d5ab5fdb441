package io.hazelgrad.grid.internal.wire;

import com.hazelcast.nio.serialization.FieldKind;
import com.hazelcast.nio.serialization.compact.CompactReader;
import com.hazelcast.nio.serialization.compact.CompactSerializer;
import com.hazelcast.nio.serialization.compact.CompactWriter;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A class that the application has a Hazelcast {@link CompactSerializer} for. The serializer names
 * and orders the fields; their bytes are ours, not Compact's. Compact's own reader makes arrays of
 * whatever length arrives, and objects of whatever class a schema names, so it must not see what a
 * peer sent; and its fields could hold no tensor and no reference.
 *
 * <p>The two interfaces have about 150 methods of two shapes, so they are proxies: {@code
 * writeX(name, value)} keeps a field, {@code readX(name)} returns it. A field's name on the wire
 * ends with its kind, which {@code getFieldKind} tells.
 */
record CompactCodec(CompactSerializer<?> serializer) implements ObjectCodecs.Form {
  private static final char SEPARATOR = ':';

  private record Field(FieldKind kind, @Nullable Object value) {}

  /** The kind of the fields that each method of the writer writes. */
  private static final Map<String, FieldKind> KINDS =
      Stream.of(CompactWriter.class.getMethods())
          .collect(Collectors.toUnmodifiableMap(Method::getName, CompactCodec::kind));

  private static FieldKind kind(Method writer) {
    String name = writer.getName().substring("write".length());
    return FieldKind.valueOf(name.replaceAll("(?<=.)([A-Z])", "_$1").toUpperCase(Locale.ROOT));
  }

  @Override
  public ObjectCodecs.Fields take(Object value) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    InvocationHandler keep =
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return method.invoke(fields, arguments);
          }
          fields.put("" + arguments[0] + SEPARATOR + KINDS.get(method.getName()), arguments[1]);
          return null;
        };
    try {
      write(serializer, value, proxy(CompactWriter.class, keep));
    } catch (RuntimeException e) {
      throw failed("write", e);
    }
    return new ObjectCodecs.Fields(List.copyOf(fields.keySet()), new ArrayList<>(fields.values()));
  }

  private static <T> void write(CompactSerializer<T> serializer, Object value, CompactWriter out) {
    serializer.write(out, serializer.getCompactClass().cast(value));
  }

  @Override
  public Object make(List<String> names, List<@Nullable Object> values) {
    Map<String, Field> fields = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      int end = Math.max(0, name.lastIndexOf(SEPARATOR));
      Field field = new Field(kind(name.substring(end)), values.get(i));
      if (fields.put(name.substring(0, end), field) != null) {
        throw ObjectCodecs.twice(serializer.getCompactClass(), name);
      }
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

  private static FieldKind kind(String suffix) {
    for (FieldKind kind : FieldKind.values()) {
      if (suffix.length() > 1 && kind.name().equals(suffix.substring(1))) {
        return kind;
      }
    }
    return FieldKind.NOT_AVAILABLE; // Written by another version of Compact, or by no serializer.
  }

  private static @Nullable Object read(
      Map<String, Field> fields, Method method, @Nullable Object[] arguments)
      throws ReflectiveOperationException {
    if (method.getDeclaringClass() == Object.class) {
      return method.invoke(fields, arguments);
    }
    String name = String.valueOf(arguments[0]);
    Field field = fields.get(name);
    if (method.getReturnType() == FieldKind.class) {
      return field == null ? FieldKind.NOT_AVAILABLE : field.kind();
    }
    if (field == null) {
      throw new IllegalArgumentException("there is no field " + name);
    }
    Class<?> wanted = method.getReturnType();
    if (FunctionRegistry.fits(wanted, field.value())) {
      return field.value();
    }
    throw new IllegalArgumentException(
        "field %s is a %s, not %s"
            .formatted(name, ObjectCodecs.typeName(field.value()), wanted.getTypeName()));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            CompactCodec.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private GridException failed(String what, Throwable thrown) {
    String type = serializer.getCompactClass().getName();
    return thrown instanceof GridException known
        ? known
        : ValueCodec.bad(
            "%s could not %s a %s: %s"
                .formatted(serializer.getClass().getName(), what, type, thrown),
            thrown);
  }
}
