package io.hazelgrad.grid.internal.runtime;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The gauges of the parts of a grid, by name. Threads: safe. */
final class Gauges {
  private final Map<String, LongSupplier> gauges = new ConcurrentHashMap<>();

  void add(String name, LongSupplier figure) {
    if (gauges.putIfAbsent(name, figure) != null) {
      throw new IllegalStateException("two figures are named " + name);
    }
  }

  /** Returns what each of them is now. */
  Map<String, Long> now() {
    Map<String, Long> figures = new HashMap<>();
    gauges.forEach((name, figure) -> figures.put(name, figure.getAsLong()));
    return figures;
  }
}
