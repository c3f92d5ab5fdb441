package io.hazelgrad.grid.internal.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private final MetricTable<T> table;
  private final TabularType type;

  BeanTable(String name, MetricTable<T> table) {
    this.name = name;
    this.table = table;
    Map<String, OpenType<?>> items = new LinkedHashMap<>();
    table.keys().keySet().forEach(key -> items.put(key, SimpleType.STRING));
    table.columns().forEach(column -> items.put(column.name(), SimpleType.LONG));
    String[] names = items.keySet().toArray(String[]::new);
    try {
      CompositeType row =
          new CompositeType(
              name, "one of " + name, names, names, items.values().toArray(OpenType<?>[]::new));
      this.type = new TabularType(name, name, row, table.keys().keySet().toArray(String[]::new));
    } catch (OpenDataException e) {
      throw new IllegalArgumentException("JMX refuses a table with the columns " + items, e);
    }
  }

  TabularData of(List<T> rows) {
    TabularDataSupport data = new TabularDataSupport(type);
    for (T row : rows) {
      Map<String, Object> values = new LinkedHashMap<>();
      table.keys().forEach((key, value) -> values.put(key, value.apply(row)));
      table.columns().forEach(column -> values.put(column.name(), column.value().applyAsLong(row)));
      try {
        data.put(new CompositeDataSupport(type.getRowType(), values));
      } catch (OpenDataException e) {
        throw new IllegalStateException("the row does not fit the table: " + values, e);
      }
    }
    return data;
  }
}
