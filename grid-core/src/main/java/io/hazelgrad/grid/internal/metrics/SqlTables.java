package io.hazelgrad.grid.internal.metrics;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.serialization.genericrecord.GenericRecord;
import com.hazelcast.nio.serialization.genericrecord.GenericRecordBuilder;
import io.hazelgrad.grid.internal.member.SqlMappings;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.spi.OwnMap;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The counters of all workers in maps, which SQL reads, and so Management Center. Each worker
 * writes its rows again and again; those of a worker that has gone expire.
 */
final class SqlTables {
  static final Duration PERIOD = Duration.ofSeconds(5);

  private static final List<MetricTable<?>> ALL =
      List.of(MetricTable.FIGURES, MetricTable.CALLS, MetricTable.SERVED);

  private SqlTables() {}

  static void prepare(Config config) {
    for (MetricTable<?> table : ALL) {
      OwnMap.in(config, map(table))
          .setBackupCount(0)
          .setTimeToLiveSeconds((int) PERIOD.multipliedBy(3).toSeconds());
    }
  }

  static List<String> mappings() {
    return ALL.stream().map(SqlTables::mapping).toList();
  }

  static void write(HazelcastInstance hazelcast, MetricsSnapshot now) {
    write(hazelcast, now.worker(), MetricTable.FIGURES, now.figures().entrySet());
    write(hazelcast, now.worker(), MetricTable.CALLS, now.calls());
    write(hazelcast, now.worker(), MetricTable.SERVED, now.served());
  }

  private static <T> void write(
      HazelcastInstance hazelcast, String worker, MetricTable<T> table, Collection<T> rows) {
    Map<String, GenericRecord> records = new HashMap<>();
    for (T row : rows) {
      GenericRecordBuilder record =
          GenericRecordBuilder.compact(map(table)).setString("worker", worker);
      table.keys().forEach((name, key) -> record.setString(name, key.apply(row)));
      table.columns().forEach(it -> record.setInt64(field(it), it.value().applyAsLong(row)));
      String keys =
          table.keys().values().stream().map(it -> it.apply(row)).collect(Collectors.joining(" "));
      records.put(worker + " " + keys, record.build());
    }
    hazelcast.<String, GenericRecord>getMap(map(table)).setAll(records);
  }

  private static String map(MetricTable<?> table) {
    return "hazelgrad." + table.name();
  }

  private static String mapping(MetricTable<?> table) {
    String columns =
        Stream.concat(
                table.keys().keySet().stream().map(key -> key + " VARCHAR"),
                table.columns().stream().map(column -> "\"" + field(column) + "\" BIGINT"))
            .collect(Collectors.joining(", ", "worker VARCHAR, ", ""));
    return SqlMappings.of(table.name(), map(table), "VARCHAR", columns, map(table));
  }

  /** Returns the column's name in SQL, where a dot would lead into a nested record. */
  private static String field(MetricTable.Column<?> column) {
    return column.name().replace('.', '_');
  }
}
