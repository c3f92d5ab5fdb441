package io.hazelgrad.grid;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The codecs of one grid: those of its configuration, and those in use for a while. Threads: safe.
 *
 * <pre>{@code
 * try (Codecs.Scope scope = grid.codecs().with(new MoneyCodec())) {
 *   grid.rpc().sync("w1", Shop::buy, money);
 * }
 * }</pre>
 *
 * <p>A scope holds for all that the grid writes and reads meanwhile, on every thread. Of several
 * codecs of one name, or for one class, the one added last is used; closing a scope takes its own
 * away, in any order. A codec of the type Object serves no class, and is for {@link #replacing}.
 */
public final class Codecs {
  private static final int MAX_NAME = 255;

  /** These travel on the fast way always. */
  private static final Set<Class<?>> FIXED =
      Set.of(
          Boolean.class,
          Byte.class,
          Short.class,
          Character.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          String.class,
          Tensor.class);

  private final List<TypeCodec<?>> configured;
  private final List<TypeCodec<?>[]> scopes = new ArrayList<>();

  @SuppressWarnings("ThreadLocalUsage") // A thread may use several grids.
  private final ThreadLocal<@Nullable TypeCodec<Object>> replacement = new ThreadLocal<>();

  private volatile Table table;

  public Codecs(List<TypeCodec<?>> configured) {
    this.configured = configured;
    this.table = new Table(configured);
  }

  /** The time in which codecs are used, until this is closed. */
  public interface Scope extends AutoCloseable {
    /** Takes the codecs away; once more does nothing. */
    @Override
    void close();
  }

  /** Uses codecs until the scope is closed; throws BAD_CONFIG if one has no proper name or type. */
  public Scope with(TypeCodec<?>... codecs) {
    TypeCodec<?>[] added = codecs.clone();
    check(List.of(added));
    synchronized (scopes) {
      scopes.add(added);
      rebuild();
    }
    return () -> {
      synchronized (scopes) {
        if (scopes.remove(added)) { // Arrays are equal if they are the same.
          rebuild();
        }
      }
    };
  }

  /**
   * Lets one codec write all arguments of the calls that this thread makes until the scope is
   * closed on it. Null, references and variables keep their own way, and so do results. The callee
   * reads by its codec of the same name, which it has by its configuration or {@link #with}.
   */
  public Scope replacing(TypeCodec<Object> codec) {
    check(List.of(codec));
    TypeCodec<Object> before = replacement.get();
    replacement.set(codec);
    return () -> {
      if (replacement.get() == codec) {
        replacement.set(before);
      }
    };
  }

  /** Returns the codec for all arguments of the calls of this thread, or null. */
  public @Nullable TypeCodec<Object> replacement() {
    return replacement.get();
  }

  private void rebuild() {
    List<TypeCodec<?>> all = new ArrayList<>(configured);
    scopes.forEach(added -> Collections.addAll(all, added));
    table = new Table(all);
  }

  /** Returns what is in use now, for one message. */
  public Table now() {
    return table;
  }

  static void check(List<TypeCodec<?>> codecs) {
    for (TypeCodec<?> codec : codecs) {
      Class<?> type = codec.type();
      if (type.isPrimitive() || FIXED.contains(type)) {
        throw new GridException(
            Status.BAD_CONFIG,
            codec.getClass().getName() + ": " + type.getName() + " cannot have a codec of its own");
      }
      int length = codec.name().length();
      if (length == 0 || length > MAX_NAME) {
        throw new GridException(
            Status.BAD_CONFIG,
            "%s: a codec's name has 1 to %s characters, this one %s"
                .formatted(codec.getClass().getName(), MAX_NAME, length));
      }
    }
  }

  /** A number of codecs; later ones win. Never changes. */
  public static final class Table {
    private final TypeCodec<?>[] codecs;
    private final Map<String, TypeCodec<?>> byName = new HashMap<>();

    /** Holds no class: a class holds its entry. */
    private final ClassValue<Optional<TypeCodec<?>>> byClass =
        new ClassValue<>() {
          @Override
          protected Optional<TypeCodec<?>> computeValue(Class<?> type) {
            return search(type);
          }
        };

    Table(List<TypeCodec<?>> all) {
      codecs = all.toArray(TypeCodec<?>[]::new);
      for (TypeCodec<?> codec : codecs) {
        byName.put(codec.name(), codec);
      }
    }

    /** Returns the codec for values of a class, or null. */
    public @Nullable TypeCodec<?> of(Class<?> type) {
      return codecs.length == 0 ? null : byClass.get(type).orElse(null);
    }

    public @Nullable TypeCodec<?> named(String name) {
      return byName.get(name);
    }

    /** Returns the type of that name which a codec carries, or null. */
    public @Nullable Class<?> typeNamed(String name) {
      return Arrays.stream(codecs)
          .<Class<?>>map(TypeCodec::type)
          .filter(type -> type.getName().equals(name))
          .findFirst()
          .orElse(null);
    }

    private Optional<TypeCodec<?>> search(Class<?> type) {
      TypeCodec<?> found = null;
      for (TypeCodec<?> codec : codecs) {
        boolean nearer =
            codec.type() != Object.class
                && codec.type().isAssignableFrom(type)
                && (found == null || found.type().isAssignableFrom(codec.type()));
        if (nearer && byName.get(codec.name()) == codec) {
          found = codec;
        }
      }
      return Optional.ofNullable(found);
    }
  }
}
