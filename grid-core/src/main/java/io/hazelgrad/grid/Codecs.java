package io.hazelgrad.grid;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
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
 * away, in any order.
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
  private final Set<Scope> scopes = new LinkedHashSet<>();
  private volatile Table table;

  public Codecs(List<TypeCodec<?>> configured) {
    this.configured = configured;
    this.table = new Table(configured);
  }

  /** Codecs in use until this is closed. */
  public final class Scope implements AutoCloseable {
    private final List<TypeCodec<?>> codecs;

    private Scope(List<TypeCodec<?>> codecs) {
      this.codecs = codecs;
    }

    /** Takes the codecs away; once more does nothing. */
    @Override
    public void close() {
      synchronized (scopes) {
        if (scopes.remove(this)) {
          rebuild();
        }
      }
    }
  }

  /** Uses codecs until the scope is closed; throws BAD_CONFIG if one has no proper name or type. */
  public Scope with(TypeCodec<?>... codecs) {
    Scope scope = new Scope(List.of(codecs));
    check(scope.codecs);
    synchronized (scopes) {
      scopes.add(scope);
      rebuild();
    }
    return scope;
  }

  private void rebuild() {
    List<TypeCodec<?>> all = new ArrayList<>(configured);
    scopes.forEach(scope -> all.addAll(scope.codecs));
    table = new Table(all);
  }

  /** Returns what is in use now, for one message. */
  public Table now() {
    return table;
  }

  static void check(List<TypeCodec<?>> codecs) {
    for (TypeCodec<?> codec : codecs) {
      Class<?> type = codec.type();
      if (type.isPrimitive() || FIXED.contains(type) || type == Object.class) {
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
            codec.type().isAssignableFrom(type)
                && (found == null || found.type().isAssignableFrom(codec.type()));
        if (nearer && byName.get(codec.name()) == codec) {
          found = codec;
        }
      }
      return Optional.ofNullable(found);
    }
  }
}
