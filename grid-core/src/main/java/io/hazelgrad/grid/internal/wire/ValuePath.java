package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.TypeCodec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The position of a writer or a reader inside a value: the containers around it, outermost first,
 * and the place in each. Finds values that contain themselves, and names the place for errors, as
 * in {@code argument 1[3].field}. Made to cost next to nothing while all goes well.
 */
final class ValuePath {
  /** Deeper nesting is refused, before the thread's stack is at its end. */
  static final int MAX_DEPTH = 256;

  private static final int MAX_KEY = 40;
  private static final int ROOM = 4;
  private static final @Nullable Object[] NOTHING = {};
  private static final Place[] NO_PLACES = {};
  private static final int[] NO_INDEXES = {};

  private enum Place {
    ELEMENT,
    FIELD,
    KEY,
    VALUE
  }

  private final boolean request;
  private int root;
  private int depth;
  private @Nullable Object[] containers = NOTHING; // Most messages have none.
  private Place[] places = NO_PLACES;
  private int[] indexes = NO_INDEXES;
  private @Nullable Object[] names = NOTHING;

  /** Makes the path of a request's arguments, or of the result. */
  ValuePath(boolean request) {
    this.request = request;
  }

  void start(int index) {
    root = index;
    depth = 0;
  }

  /** Goes into a container, null for a reader; throws BAD_VALUE if it is too deep or in itself. */
  void enter(@Nullable Object container) {
    if (depth == MAX_DEPTH) {
      throw ValueCodec.bad("nested deeper than " + MAX_DEPTH + " levels");
    }
    if (container != null) {
      for (int i = 0; i < depth; i++) {
        if (containers[i] == container) {
          throw ValueCodec.bad("the value contains itself: this is " + text(i) + " again");
        }
      }
    }
    if (depth == places.length) {
      int more = Math.max(ROOM, depth * 2);
      containers = Arrays.copyOf(containers, more);
      places = Arrays.copyOf(places, more);
      indexes = Arrays.copyOf(indexes, more);
      names = Arrays.copyOf(names, more);
    }
    containers[depth] = container;
    places[depth] = Place.ELEMENT;
    indexes[depth] = -1;
    depth++;
  }

  void leave() {
    depth--;
    containers[depth] = null;
    names[depth] = null;
  }

  /** Stands at the next element of the innermost container. */
  void element() {
    indexes[depth - 1]++;
  }

  void field(String name) {
    places[depth - 1] = Place.FIELD;
    names[depth - 1] = name;
  }

  /** Stands at the next key of a map. */
  void key() {
    places[depth - 1] = Place.KEY;
    indexes[depth - 1]++;
  }

  void value(@Nullable Object key) {
    places[depth - 1] = Place.VALUE;
    names[depth - 1] = key;
  }

  @Override
  public String toString() {
    return text(depth);
  }

  private String text(int levels) {
    StringBuilder text = new StringBuilder(request ? "argument " + root : "the result");
    for (int i = 0; i < levels; i++) {
      switch (places[i]) {
        case ELEMENT -> {
          if (indexes[i] >= 0) {
            text.append('[').append(indexes[i]).append(']');
          }
        }
        case FIELD -> text.append('.').append(names[i]);
        case KEY -> text.append(".keys[").append(indexes[i]).append(']');
        case VALUE -> value(text, names[i], indexes[i]);
      }
    }
    return text.toString();
  }

  private static void value(StringBuilder text, @Nullable Object key, int index) {
    if (key instanceof String s) {
      String shown = s.length() > MAX_KEY ? s.substring(0, MAX_KEY) + "..." : s;
      text.append("[\"").append(shown).append("\"]");
    } else if (key instanceof Integer || key instanceof Long) {
      text.append('[').append(key).append(']');
    } else { // Whose toString() may be long, or fail.
      text.append(".values[").append(index).append(']');
    }
  }

  /** Returns the failure of the value at this position; {@code what} says what it could not be. */
  GridException failure(Throwable thrown, String what) {
    return thrown instanceof GridException known
        ? new GridException(known.status(), this + ": " + known.getMessage(), known)
        : ValueCodec.bad(this + ": the value could not be " + what + ": " + thrown, thrown);
  }

  /** Returns the failure of a codec of the application's own; {@code what} says of which step. */
  static GridException failure(TypeCodec<?> codec, String what, Throwable thrown) {
    GridException known = thrown instanceof GridException e ? e : null;
    return new GridException(
        known == null ? Status.BAD_VALUE : known.status(),
        "codec %s could not %s the value: %s"
            .formatted(codec.name(), what, known == null ? thrown : known.getMessage()),
        thrown);
  }
}
