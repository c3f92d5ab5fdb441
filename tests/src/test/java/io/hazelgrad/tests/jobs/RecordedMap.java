package io.hazelgrad.tests.jobs;

import com.hazelcast.map.MapStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps each content that a map ever had: what a death at any time leaves behind. It delays each
 * change.
 */
final class RecordedMap implements MapStore<String, Object> {
  private final Map<String, Object> now = new HashMap<>();
  private final List<Map<String, Object>> contents = new ArrayList<>();

  /** Returns the contents so far, in their order, the empty one not among them. */
  synchronized List<Map<String, Object>> contents() {
    return List.copyOf(contents);
  }

  @Override
  public void store(String key, Object value) {
    Delays.some();
    synchronized (this) {
      now.put(key, value);
      contents.add(Map.copyOf(now));
    }
  }

  @Override
  public void delete(String key) {
    Delays.some();
    synchronized (this) {
      if (now.remove(key) != null) {
        contents.add(Map.copyOf(now));
      }
    }
  }

  @Override
  public void storeAll(Map<String, Object> map) {
    map.forEach(this::store);
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    keys.forEach(this::delete);
  }

  @Override
  public Object load(String key) {
    return null;
  }

  @Override
  public Map<String, Object> loadAll(Collection<String> keys) {
    return Map.of();
  }

  @Override
  public Iterable<String> loadAllKeys() {
    return null;
  }
}
