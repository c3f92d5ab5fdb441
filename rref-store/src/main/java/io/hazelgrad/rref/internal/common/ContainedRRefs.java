package io.hazelgrad.rref.internal.common;

import io.hazelgrad.rref.RRef;
import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the RRefs inside a value: in lists, maps, arrays and records, but not in other objects. */
public final class ContainedRRefs {
  private static final int MAX_DEPTH = 64;

  private final Consumer<RRef<?>> found;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private ContainedRRefs(Consumer<RRef<?>> found) {
    this.found = found;
  }

  /** Calls {@code found} once for each RRef; a value may contain itself. */
  public static void in(@Nullable Object value, Consumer<RRef<?>> found) {
    new ContainedRRefs(found).search(value, 0);
  }

  private void search(@Nullable Object value, int depth) {
    if (value == null || depth > MAX_DEPTH) {
      return;
    }
    if (value instanceof RRef<?> rref) {
      if (seen.add(rref)) {
        found.accept(rref);
      }
    } else if (isContainer(value) && seen.add(value)) {
      forEach(value, element -> search(element, depth + 1));
    }
  }

  /** Returns whether values are looked for inside a value. */
  public static boolean isContainer(Object value) {
    return value instanceof List<?>
        || value instanceof Map<?, ?>
        || value instanceof Object[]
        || value instanceof Record;
  }

  /** Passes each value in a container to an action, but not the primitive values in a record. */
  public static void forEach(Object container, Consumer<@Nullable Object> action) {
    if (container instanceof List<?> list) {
      list.forEach(action);
    } else if (container instanceof Map<?, ?> map) {
      map.keySet().forEach(action);
      map.values().forEach(action);
    } else if (container instanceof Object[] array) {
      Stream.of(array).forEach(action);
    } else {
      for (RecordComponent component : container.getClass().getRecordComponents()) {
        if (!component.getType().isPrimitive()) {
          action.accept(read(component, container));
        }
      }
    }
  }

  /** Returns a component of a record; null if the record does not allow access to it. */
  private static @Nullable Object read(RecordComponent component, Object record) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null; // Such a record must close the handles inside it by itself.
    }
  }
}
