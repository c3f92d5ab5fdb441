package io.hazelgrad.rref;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the RRefs inside a value: in lists, maps, arrays and records, not in other objects. */
final class ContainedRRefs {
  private static final int MAX_DEPTH = 64;

  private ContainedRRefs() {}

  static void in(@Nullable Object value, Consumer<RRef<?>> found) {
    search(value, found, 0);
  }

  private static void search(@Nullable Object value, Consumer<RRef<?>> found, int depth) {
    if (value == null || depth > MAX_DEPTH) {
      return;
    }
    if (value instanceof RRef<?> rref) {
      found.accept(rref);
    } else if (value instanceof List<?> list) {
      list.forEach(element -> search(element, found, depth + 1));
    } else if (value instanceof Map<?, ?> map) {
      map.forEach(
          (key, element) -> {
            search(key, found, depth + 1);
            search(element, found, depth + 1);
          });
    } else if (value instanceof Object[] array) {
      for (Object element : array) {
        search(element, found, depth + 1);
      }
    } else if (value.getClass().isRecord()) {
      for (RecordComponent component : value.getClass().getRecordComponents()) {
        if (!component.getType().isPrimitive()) {
          search(read(component, value), found, depth + 1);
        }
      }
    }
  }

  private static @Nullable Object read(RecordComponent component, Object record) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null; // A record that hides its parts: its handles are its own business.
    }
  }
}
