package io.hazelgrad.spring;

import org.jspecify.annotations.Nullable;

/** Says that the grid refuses the value of a property. */
public final class BadPropertyException extends RuntimeException {
  private final String property;
  private final String value;

  BadPropertyException(
      String property, @Nullable Object value, @Nullable String reason, @Nullable Throwable cause) {
    super(reason, cause);
    this.property = property;
    this.value = value == null ? "no value" : "the value \"" + value + "\"";
  }

  /** Returns the name of the property and its value, as a sentence. */
  String description() {
    return "The property %s has %s: %s.".formatted(property, value, getMessage());
  }

  /** Returns the name of the property. */
  public String property() {
    return property;
  }
}
