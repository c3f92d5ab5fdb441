package io.hazelgrad.grid;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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
  public interface Scope extends AutoCloseable {
    /** Takes the codecs away; once more does nothing. */
    @Override
    void close();
  }

  /** Uses codecs until the scope is closed; throws BAD_CONFIG if one has no proper name or type. */
  public Scope with(TypeCodec<?>... codecs) {
    List<TypeCodec<?>> list = List.of(codecs);
    check(list);
    Entry entry = new Entry(list);
    synchronized (scopes) {
      scopes.add(entry);
      rebuild();
    }
    return entry;
  }

  private final class Entry implements Scope {
    final List<TypeCodec<?>> codecs;
    private final AtomicBoolean closed = new AtomicBoolean();

    Entry(List<TypeCodec<?>> codecs) {
      this.codecs = codecs;
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        synchronized (scopes) {
          scopes.remove(this);
          rebuild();
        }
      }
    }
  }

  private void rebuild() {
    List<TypeCodec<?>> all = new ArrayList<>(configured);
    for (Scope scope : scopes) {
      all.addAll(((Entry) scope).codecs);
    }
    table = new Table(all);
  }

  /** Returns what is in use now, for one message. */
  public Table now() {
    return table;
  }

  /** Checks codecs before they are used. */
  static void check(List<TypeCodec<?>> codecs) {
    for (TypeCodec<?> codec : codecs) {
      Class<?> type = codec.type();
      if (type.isPrimitive() || FIXED.contains(type) || type == Object.class) {
        throw new GridException(
            Status.BAD_CONFIG,
            codec.getClass().getName() + ": " + type.getName() + " cannot have a codec of its own");
      }
      if (codec.name().isEmpty() || codec.name().length() > MAX_NAME) {
        throw new GridException(
            Status.BAD_CONFIG,
            codec.getClass().getName()
                + ": a codec's name has 1 to "
                + MAX_NAME
                + " characters, this one "
                + codec.name().length());
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

    boolean isEmpty() {
      return codecs.length == 0;
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
