package io.hazelgrad.grid.internal.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularData;
import javax.management.openmbean.TabularDataSupport;
import javax.management.openmbean.TabularType;

/** A JMX table of counters, which any JMX tool can read. Threads: safe. */
final class BeanTable<T> {
  final String name;
  private final Map<String, Function<T, String>> keys;
  private final List<MetricColumn<T>> columns;
  private final TabularType type;

  /** Creates a table with columns that identify a row, and columns of numbers. */
  BeanTable(String name, Map<String, Function<T, String>> keys, List<MetricColumn<T>> columns) {
    this.name = name;
    this.keys = new TreeMap<>(keys);
    this.columns = columns;
    Map<String, OpenType<?>> items = new LinkedHashMap<>();
    this.keys.keySet().forEach(key -> items.put(key, SimpleType.STRING));
    columns.forEach(column -> items.put(column.name(), SimpleType.LONG));
    String[] names = items.keySet().toArray(String[]::new);
    try {
      CompositeType row =
          new CompositeType(
              name, "one of " + name, names, names, items.values().toArray(OpenType<?>[]::new));
      this.type = new TabularType(name, name, row, this.keys.keySet().toArray(String[]::new));
    } catch (OpenDataException e) {
      throw new IllegalArgumentException("JMX refuses a table with the columns " + items, e);
    }
  }

  TabularData of(List<T> rows) {
    TabularDataSupport table = new TabularDataSupport(type);
    for (T row : rows) {
      Map<String, Object> values = new LinkedHashMap<>();
      keys.forEach((key, value) -> values.put(key, value.apply(row)));
      columns.forEach(column -> values.put(column.name(), column.value().applyAsLong(row)));
      try {
        table.put(new CompositeDataSupport(type.getRowType(), values));
      } catch (OpenDataException e) {
        throw new IllegalStateException("the row does not fit the table: " + values, e);
      }
    }
    return table;
  }
}
