package io.hazelgrad.rref.internal.object;

import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.internal.common.ContainedRRefs;
import java.lang.reflect.Array;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the bytes of a value: the tensors, primitive arrays and strings in it and in its lists,
 * maps, arrays and records. Other objects count as zero. It looks at {@value #MAX_ELEMENTS}
 * elements at most. The result is used for leak reports and limits.
 */
final class ByteCount {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_ELEMENTS = 4096;

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private int elements;
  private long bytes;

  private ByteCount() {}

  static long of(@Nullable Object value) {
    ByteCount count = new ByteCount();
    try {
      count.add(value, 0);
    } catch (RuntimeException e) {
      // Enough is counted, or a collection of the user failed: the count so far is good enough.
    }
    return count.bytes;
  }

  private void add(@Nullable Object value, int depth) {
    if (value == null || depth > MAX_DEPTH) {
      return;
    }
    if (++elements > MAX_ELEMENTS) {
      throw new IllegalStateException("enough"); // Ends the walk over a container.
    }
    if (value instanceof String text) {
      bytes += text.length();
    } else if (value instanceof Tensor tensor) {
      bytes += (long) tensor.size() * tensor.dtype().bytes();
    } else if (value.getClass().isArray() && value.getClass().getComponentType().isPrimitive()) {
      bytes += (long) Array.getLength(value) * width(value.getClass().getComponentType());
    } else if (ContainedRRefs.isContainer(value) && seen.add(value)) {
      ContainedRRefs.forEach(value, element -> add(element, depth + 1));
    }
  }

  private static int width(Class<?> primitive) {
    return switch (primitive.getName()) {
      case "long", "double" -> Long.BYTES;
      case "int", "float" -> Integer.BYTES;
      case "short", "char" -> Short.BYTES;
      default -> 1;
    };
  }
}
