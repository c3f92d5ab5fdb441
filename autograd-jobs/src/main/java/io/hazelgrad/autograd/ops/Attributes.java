package io.hazelgrad.autograd.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of an operation other than tensors, by name, such as {@code dim}, {@code keepdim}
 * and {@code reduction}. A value is a Long, Double, Boolean, String or a List of these. The typed
 * getters take the name of the operation for their messages.
 *
 * <p>Threads: immutable, hence safe.
 */
public final class Attributes {
  private static final Attributes NONE = new Attributes(Map.of());

  private final Map<String, Object> values;

  private Attributes(Map<String, Object> values) {
    this.values = values;
  }

  /** Returns the empty set of attributes. */
  public static Attributes none() {
    return NONE;
  }

  /** Returns attributes with one entry, converted as in {@link #of(Map)}. */
  public static Attributes of(String name, Object value) {
    return of(Map.of(name, value));
  }

  /** Returns attributes with two entries, converted as in {@link #of(Map)}. */
  public static Attributes of(String name1, Object value1, String name2, Object value2) {
    return of(Map.of(name1, value1, name2, value2));
  }

  /**
   * Returns attributes with a copy of {@code values}. Integers of any width become Long, floats
   * Double, {@code long[]} and {@code int[]} lists of Long.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT if a value has another type or is null
   */
  public static Attributes of(Map<String, ?> values) {
    Map<String, Object> copy = new LinkedHashMap<>();
    values.forEach((name, value) -> copy.put(name, normal(name, value)));
    return new Attributes(copy);
  }

  private static Object normal(String name, @Nullable Object value) {
    if (value instanceof Long
        || value instanceof Double
        || value instanceof Boolean
        || value instanceof String) {
      return value;
    }
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return ((Number) value).longValue();
    }
    if (value instanceof Float number) {
      return number.doubleValue();
    }
    if (value instanceof long[] numbers) {
      return Arrays.stream(numbers).boxed().toList();
    }
    if (value instanceof int[] numbers) {
      return Arrays.stream(numbers).asLongStream().boxed().toList();
    }
    if (value instanceof List<?> list) {
      List<Object> copy = new ArrayList<>();
      list.forEach(element -> copy.add(normal(name, element)));
      return List.copyOf(copy);
    }
    String type = value == null ? "null" : value.getClass().getName();
    throw OperationErrors.bad("attributes", name + " cannot be a " + type);
  }

  /** Returns the values by name, unmodifiable. */
  public Map<String, Object> asMap() {
    return Map.copyOf(values);
  }

  /** Returns whether there is an attribute of that name. */
  public boolean has(String name) {
    return values.containsKey(name);
  }

  /** Returns whether there is an attribute of that name that is a number but no integer. */
  public boolean isFraction(String name) {
    return values.get(name) instanceof Double;
  }

  /** Returns an integer. It is BAD_ARGUMENT if the attribute is missing. */
  public long integer(String operation, String name) {
    if (!has(name)) {
      throw OperationErrors.bad(operation, "attribute " + name + " is missing");
    }
    return integer(operation, name, 0);
  }

  /** Returns an integer, or {@code fallback} if it is missing. */
  public long integer(String operation, String name, long fallback) {
    return get(operation, name, Long.class, fallback, "an integer");
  }

  /** Returns a number, or {@code fallback} if it is missing. Integers count as numbers. */
  public double number(String operation, String name, double fallback) {
    return get(operation, name, Number.class, fallback, "a number").doubleValue();
  }

  /** Returns a truth value, or {@code fallback} if it is missing. */
  public boolean flag(String operation, String name, boolean fallback) {
    return get(operation, name, Boolean.class, fallback, "true or false");
  }

  /** Returns a text, or {@code fallback} if it is missing. */
  public String text(String operation, String name, String fallback) {
    return get(operation, name, String.class, fallback, "a text");
  }

  private <T> T get(String operation, String name, Class<T> type, T fallback, String wanted) {
    Object value = values.getOrDefault(name, fallback);
    if (!type.isInstance(value)) {
      throw wrong(operation, name, wanted, value);
    }
    return type.cast(value);
  }

  /** Returns a list of integers, or null if it is missing. One integer counts as a list. */
  public long @Nullable [] integers(String operation, String name) {
    Object value = values.get(name);
    if (value == null) {
      return null;
    }
    List<?> list = value instanceof List<?> elements ? elements : List.of(value);
    long[] out = new long[list.size()];
    for (int i = 0; i < out.length; i++) {
      if (!(list.get(i) instanceof Long number)) {
        throw wrong(operation, name, "a list of integers", value);
      }
      out[i] = number;
    }
    return out;
  }

  /** Fails if there is an attribute that {@code known} does not name. */
  public void checkNames(String operation, Set<String> known) {
    for (Map.Entry<String, Object> entry : values.entrySet()) {
      if (!known.contains(entry.getKey())) {
        throw OperationErrors.bad(
            operation,
            "unknown attribute " + entry.getKey() + "=" + entry.getValue() + "; known: " + known);
      }
    }
  }

  private static RuntimeException wrong(
      String operation, String name, String wanted, Object value) {
    return OperationErrors.bad(
        operation,
        name + "=" + value + " (" + value.getClass().getSimpleName() + ") must be " + wanted);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Attributes that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
