package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.Codecs;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.spi.ValueHook;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The type of an array of objects, or of arrays.
 *
 * @param base the type of the elements of the innermost arrays
 * @param dimensions how many brackets it has
 */
record ArrayType(Class<?> base, int dimensions) {
  /** A peer that asks for more would only make classes. */
  private static final int MAX_DIMENSIONS = 16;

  private static final Map<String, Class<?>> KNOWN =
      Stream.of(
              FunctionRegistry.BOXES.keySet().stream(),
              FunctionRegistry.BOXES.values().stream(),
              Stream.of(
                  Object.class,
                  Number.class,
                  Comparable.class,
                  CharSequence.class,
                  String.class,
                  BigInteger.class,
                  BigDecimal.class,
                  UUID.class,
                  Duration.class,
                  Instant.class,
                  LocalDate.class,
                  LocalTime.class,
                  LocalDateTime.class,
                  OffsetDateTime.class,
                  Optional.class,
                  Collection.class,
                  List.class,
                  Set.class,
                  Map.class,
                  Tensor.class,
                  Worker.class))
          .flatMap(Function.identity())
          .collect(Collectors.toUnmodifiableMap(Class::getName, Function.identity()));

  static ArrayType of(Class<?> array) {
    Class<?> base = array;
    int dimensions = 0;
    while (base.isArray()) {
      base = base.getComponentType();
      dimensions++;
    }
    return new ArrayType(base, dimensions);
  }

  boolean canTravel(ValueCodec codec, Codecs.Table own) {
    return dimensions <= MAX_DIMENSIONS
        && (KNOWN.get(base.getName()) == base
            || own.of(base) != null
            || codec.hooks().stream().anyMatch(hook -> hook.owns(base))
            || codec.allowed().allowsValue(base));
  }

  /** Returns the component type of the array that a peer named. */
  static Class<?> component(String base, int dimensions, ValueCodec codec, Codecs.Table own) {
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
      throw ValueCodec.bad(
          "arrays have 1 to " + MAX_DIMENSIONS + " dimensions here: " + dimensions);
    }
    Class<?> type = base(base, codec, own);
    if (dimensions == 1 && type.isPrimitive()) {
      throw ValueCodec.bad("an array of " + base + " in the wrong form");
    }
    return dimensions == 1 ? type : Array.newInstance(type, new int[dimensions - 1]).getClass();
  }

  private static Class<?> base(String name, ValueCodec codec, Codecs.Table own) {
    Class<?> known = KNOWN.get(name);
    if (known != null) {
      return known;
    }
    Class<?> typed = own.typeNamed(name);
    if (typed != null) {
      return typed;
    }
    for (ValueHook hook : codec.hooks()) {
      Class<?> hooked = hook.type();
      if (hooked != null && hooked.getName().equals(name)) {
        return hooked;
      }
    }
    return codec.allowed().valueClass(name);
  }
}
