package io.hazelgrad.grid.spi;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map that forgets its oldest entries beyond a number of them. Threads: not safe. */
public final class LimitedMap<K, V> extends LinkedHashMap<K, V> {
  private final int most;

  /** Makes an empty map for {@code most} entries. */
  public LimitedMap(int most) {
    this.most = most;
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<K, V> oldest) {
    return size() > most;
  }
}
