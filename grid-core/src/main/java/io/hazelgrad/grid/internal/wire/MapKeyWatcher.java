package io.hazelgrad.grid.internal.wire;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watches the keys of a map that is being read. Keys of the same hash make a map slow, to the
 * square of their number, unless they are comparable as the JDK's own values are. A peer that sends
 * too many of them is refused, before the map is slow.
 */
public final class MapKeyWatcher {
  /** So many keys of one hash are taken; honest keys come nowhere near. */
  private static final int SAME_HASH = 512;

  private final Map<Integer, Integer> hashes = new HashMap<>();
  private int seen;

  /** Checks a key before it is put. */
  public void check(@Nullable Object key) {
    if (key == null || (key instanceof Comparable<?> && key.getClass().getClassLoader() == null)) {
      return;
    }
    // Below that number nothing can be slow, so nothing is counted.
    if (++seen > SAME_HASH && hashes.merge(key.hashCode(), 1, Integer::sum) > SAME_HASH) {
      throw new GridException(
          Status.BAD_VALUE,
          "more than "
              + SAME_HASH
              + " keys have the same hash, of class "
              + key.getClass().getName());
    }
  }
}
