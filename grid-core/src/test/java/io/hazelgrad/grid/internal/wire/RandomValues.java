package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Makes values of every kind that can travel, nested at random, and compares them. */
final class RandomValues {
  private static final String[] TEXTS = {
    "", "a", "snow ☃", "𝄞 clef", "\ud834", "\udc00x", "\0", "ÿ", "\uffff", "x".repeat(300)
  };
  private static final List<DType> DTYPES = List.of(DType.values());
  private static final double[] DOUBLES = {
    0, -0.0, 1, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE
  };

  private final RandomGenerator random;

  RandomValues(RandomGenerator random) {
    this.random = random;
  }

  /** A record of every component that is awkward. */
  @RemoteValue
  @SuppressWarnings("ArrayRecordComponent") // Users have such records.
  record Mixed(byte b, char c, Object any, List<?> list, double[] numbers, Mixed next) {}

  /** An enum with a constant that has a class of its own. */
  @RemoteValue
  enum Level {
    LOW,
    HIGH {
      @Override
      public String toString() {
        return "very high";
      }
    }
  }

  /** An object with fields. */
  @RemoteValue
  static class Bean {
    Object any;
    long number;
    String[] texts;
    Map<?, ?> map;
  }

  /** Makes a value, of at most so many levels. */
  Object value(int levels) {
    return levels == 0 || random.nextInt(3) == 0 ? leaf() : nested(levels - 1);
  }

  private Object leaf() {
    List<Supplier<Object>> kinds =
        List.of(
            () -> null,
            random::nextBoolean,
            () -> (byte) random.nextInt(),
            () -> (short) random.nextInt(),
            () -> (char) random.nextInt(),
            random::nextInt,
            random::nextLong,
            () -> (float) number(),
            this::number,
            this::text,
            () -> new BigInteger(1 + random.nextInt(200), new java.util.Random(random.nextLong())),
            () -> BigDecimal.valueOf(random.nextLong(), random.nextInt(-50, 50)),
            () -> new UUID(random.nextLong(), random.nextLong()),
            () -> Duration.ofSeconds(random.nextLong(), random.nextInt(1_000_000_000)),
            () -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)),
            this::date,
            this::time,
            () -> LocalDateTime.of(date(), time()),
            () ->
                OffsetDateTime.of(
                    date(), time(), ZoneOffset.ofTotalSeconds(random.nextInt(-64_800, 64_801))),
            () -> random.nextBoolean() ? Level.LOW : Level.HIGH,
            () ->
                new Worker(
                    "w" + random.nextInt(), random.nextLong(), new UUID(random.nextLong(), 1)),
            this::tensor,
            this::primitives);
    return kinds.get(random.nextInt(kinds.size())).get();
  }

  private double number() {
    return random.nextBoolean() ? random.nextDouble() : DOUBLES[random.nextInt(DOUBLES.length)];
  }

  private String text() {
    return TEXTS[random.nextInt(TEXTS.length)] + (random.nextBoolean() ? random.nextInt(9) : "");
  }

  private LocalDate date() {
    return LocalDate.ofEpochDay(random.nextLong(-365_000_000, 365_000_000));
  }

  private LocalTime time() {
    return LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L));
  }

  private Tensor tensor() {
    DType dtype = DTYPES.get(random.nextInt(DTYPES.size()));
    long[] shape = new long[random.nextInt(4)];
    Arrays.setAll(shape, i -> random.nextInt(4));
    return Tensor.full(dtype, random.nextInt(2), shape);
  }

  private Object primitives() {
    int length = random.nextInt(50) == 0 ? 20_000 : random.nextInt(5);
    Class<?>[] types = {
      boolean.class,
      byte.class,
      short.class,
      char.class,
      int.class,
      long.class,
      float.class,
      double.class
    };
    Object array = Array.newInstance(types[random.nextInt(types.length)], length);
    for (int i = 0; i < length; i++) {
      if (array instanceof boolean[] b) {
        b[i] = random.nextBoolean();
      } else if (array instanceof char[] c) {
        c[i] = (char) random.nextInt();
      } else {
        Array.set(array, i, (byte) random.nextInt()); // Widened.
      }
    }
    return array;
  }

  private Object nested(int levels) {
    List<Object> elements = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      elements.add(value(levels));
    }
    return switch (random.nextInt(13)) {
      case 0 -> elements;
      case 1 -> new CopyOnWriteArrayList<>(elements);
      case 2 -> Collections.unmodifiableList(elements);
      case 3 -> elements.toArray();
      case 4 -> elements.stream().map(e -> e == null ? null : text()).toArray(String[]::new);
      case 5 -> new LinkedHashSet<>(distinct(elements));
      case 6 -> map(levels);
      case 7 -> new TreeMap<>(Map.of(text(), elements));
      case 8 -> Optional.ofNullable(value(levels));
      case 9 ->
          new Mixed((byte) 1, 'c', value(levels), elements, new double[] {number()}, mixed(levels));
      case 10 -> bean(levels);
      case 11 -> new Mixed[][] {{mixed(levels), null}, {}, null};
      default -> new int[][][] {{{random.nextInt()}, {}}, null};
    };
  }

  private Mixed mixed(int levels) {
    return levels == 0 || random.nextBoolean()
        ? null
        : new Mixed((byte) 2, 'd', value(levels - 1), List.of(), null, mixed(levels - 1));
  }

  private Bean bean(int levels) {
    Bean bean = new Bean();
    bean.any = value(levels);
    bean.number = random.nextLong();
    bean.texts = new String[] {text(), null};
    bean.map = map(levels);
    return bean;
  }

  private Map<Object, Object> map(int levels) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.put(key(), value(levels));
    }
    return map;
  }

  private Object key() {
    Object key = leaf();
    return key != null && key.getClass().isArray() ? Arrays.asList(1, text()) : key;
  }

  private static List<Object> distinct(Collection<Object> elements) {
    return elements.stream().filter(e -> !(e instanceof Bean)).distinct().toList();
  }

  /** Returns whether two values are the same, arrays and beans by what is in them. */
  static boolean same(Object a, Object b) {
    if (a == null || b == null) {
      return a == b;
    }
    if (a.getClass().isArray()) {
      return a.getClass() == b.getClass() && sameElements(a, b);
    }
    if (a instanceof List<?> x && b instanceof List<?> y) {
      return same(x.toArray(), y.toArray());
    }
    if (a instanceof Set<?> x && b instanceof Set<?> y) { // Both keep their order.
      return same(x.toArray(), y.toArray());
    }
    if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
      return same(x.keySet().toArray(), y.keySet().toArray())
          && same(x.values().toArray(), y.values().toArray());
    }
    if (a instanceof Optional<?> x && b instanceof Optional<?> y) {
      return same(x.orElse(null), y.orElse(null));
    }
    if (a instanceof Mixed x && b instanceof Mixed y) {
      return x.b == y.b
          && x.c == y.c
          && same(x.any, y.any)
          && same(x.list, y.list)
          && Arrays.equals(x.numbers, y.numbers)
          && same(x.next, y.next);
    }
    if (a instanceof Bean x && b instanceof Bean y) {
      return same(x.any, y.any)
          && x.number == y.number
          && Arrays.equals(x.texts, y.texts)
          && same(x.map, y.map);
    }
    return Objects.equals(a, b);
  }

  private static boolean sameElements(Object a, Object b) {
    if (!(a instanceof Object[] x)) {
      return Objects.deepEquals(a, b);
    }
    Object[] y = (Object[]) b;
    if (x.length != y.length) {
      return false;
    }
    for (int i = 0; i < x.length; i++) {
      if (!same(x[i], y[i])) {
        return false;
      }
    }
    return true;
  }
}
