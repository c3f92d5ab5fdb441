package io.hazelgrad.grid;

import org.jspecify.annotations.Nullable;

/** The input from which a {@link TypeCodec} reads a value, until {@code read} returns. */
public interface ValueInput {
  /** Returns the input for numbers, strings and bytes. */
  BinaryInput raw();

  /** Reads what {@link ValueOutput#value} wrote; fails the call with BAD_VALUE or NOT_ALLOWED. */
  @Nullable Object value();

  /** Reads a value as {@link #value()} does; throws BAD_VALUE if it is null or of another type. */
  default <T> T value(Class<T> type) {
    Object value = value();
    if (!type.isInstance(value)) {
      String got = value == null ? "null" : value.getClass().getName();
      throw raw().damaged("expected a " + type.getName() + ", got " + got);
    }
    return type.cast(value);
  }
}
