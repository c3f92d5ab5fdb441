package io.hazelgrad.grid.internal.wire;

import com.hazelcast.nio.serialization.compact.CompactSerializer;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes objects of allowed classes apart into named fields and makes them again: by the Compact
 * serializer that the Hazelcast configuration has for the class, else by a record's components,
 * else by the fields of a class with a constructor without parameters.
 *
 * <p>As with Compact, both sides may have different versions of a class: a field that the receiver
 * lacks is dropped, one that the sender lacks is null, zero or false, or what the constructor gave.
 */
public final class ObjectCodecs {
  /** An object, taken apart: the names of its fields, and their values in the same order. */
  record Fields(List<String> names, List<@Nullable Object> values) {}

  /** Takes objects of one class apart and makes them. */
  interface Form {
    Fields take(Object value);

    /**
     * Makes an object of fields, which may be others than its own, in any order.
     *
     * @throws GridException BAD_VALUE if they do not fit, or its constructor refuses them
     */
    Object make(List<String> names, List<@Nullable Object> values);
  }

  private static final ClassValue<Form> FORMS =
      new ClassValue<>() {
        @Override
        protected Form computeValue(Class<?> type) {
          if (type.isRecord()) {
            return RecordCodec.of(type);
          }
          if (isOrdinary(type)) {
            return FieldCodec.of(type);
          }
          throw ValueCodec.bad(
              type.getName()
                  + " is neither an enum nor a record nor a class with fields of its own");
        }
      };

  private static final ClassValue<Map<String, Object>> CONSTANTS =
      new ClassValue<>() {
        @Override
        protected Map<String, Object> computeValue(Class<?> type) {
          return Stream.of(type.getEnumConstants())
              .collect(Collectors.toUnmodifiableMap(e -> ((Enum<?>) e).name(), e -> e));
        }
      };

  private final Map<Class<?>, Form> compact;

  /** Uses the Compact serializers of a Hazelcast configuration for the classes they are for. */
  public ObjectCodecs(List<CompactSerializer<?>> serializers) {
    compact =
        serializers.stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    CompactSerializer::getCompactClass,
                    CompactCodec::new,
                    (first, again) -> again));
  }

  /** Returns how objects of a class travel; throws BAD_VALUE with the remedy if they cannot. */
  Form of(Class<?> type) {
    Form form = compact.isEmpty() ? null : compact.get(type);
    return form == null ? FORMS.get(type) : form;
  }

  /** Returns whether a class, if it were allowed, could travel by its fields. */
  static boolean isOrdinary(Class<?> type) {
    return !type.isInterface()
        && !type.isArray()
        && !type.isPrimitive()
        && !type.isEnum()
        && !type.isHidden()
        && !Modifier.isAbstract(type.getModifiers())
        && type.getClassLoader() != null
        && type.getSuperclass() != null
        && (type.getSuperclass() == Object.class || isPart(type.getSuperclass()));
  }

  /** Returns whether a superclass is the application's own, too. */
  private static boolean isPart(Class<?> superclass) {
    Class<?> c = superclass;
    while (c != Object.class && c != null && c.getClassLoader() != null) {
      c = c.getSuperclass();
    }
    return c == Object.class || c == null;
  }

  static Object constant(Class<?> type, String name) {
    if (!type.isEnum()) {
      throw ValueCodec.bad(type.getName() + " is no enum");
    }
    Object constant = CONSTANTS.get(type).get(name);
    if (constant == null) {
      throw ValueCodec.bad(
          type.getName() + " has no constant " + name + "; is it of the same version here?");
    }
    return constant;
  }

  /**
   * Returns for each field of this side the index at which it was given, or -1. Fields that this
   * side lacks are left out.
   */
  static int[] sources(Class<?> type, List<String> given, List<String> names) {
    int[] sources = new int[names.size()];
    Arrays.fill(sources, -1);
    for (int i = 0; i < given.size(); i++) {
      String name = given.get(i);
      boolean isSamePlace = i < names.size() && names.get(i).equals(name); // Mostly it is.
      int place = isSamePlace ? i : names.indexOf(name);
      if (place >= 0) {
        if (sources[place] >= 0) {
          throw twice(type, name);
        }
        sources[place] = i;
      }
    }
    return sources;
  }

  static GridException twice(Class<?> type, String field) {
    return ValueCodec.bad("field " + field + " of " + type.getName() + " came twice");
  }

  static void requireFit(Class<?> type, String field, Class<?> wanted, @Nullable Object value) {
    if (!FunctionRegistry.fits(wanted, value)) {
      throw ValueCodec.bad(
          "field %s of %s is %s, got %s; is the class of the same version here?"
              .formatted(field, type.getName(), wanted.getTypeName(), typeName(value)));
    }
  }

  static String typeName(@Nullable Object value) {
    return value == null ? "null" : value.getClass().getTypeName();
  }

  static Throwable reason(Throwable thrown) {
    return thrown.getCause() == null ? thrown : thrown.getCause();
  }
}
