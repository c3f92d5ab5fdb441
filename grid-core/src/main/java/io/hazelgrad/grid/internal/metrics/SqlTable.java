package io.hazelgrad.grid.internal.metrics;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.serialization.genericrecord.GenericRecord;
import com.hazelcast.nio.serialization.genericrecord.GenericRecordBuilder;
import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import io.hazelgrad.grid.spi.OwnMap;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A map with a table of counters of all workers, which SQL reads, and so Management Center. Each
 * worker writes its rows again and again; those of a worker that has gone expire.
 */
record SqlTable<T>(MetricTable<T> table) {
  static final Duration PERIOD = Duration.ofSeconds(5);

  private static final SqlTable<Map.Entry<String, Long>> FIGURES =
      new SqlTable<>(MetricTable.FIGURES);
  private static final SqlTable<CallMetrics> CALLS = new SqlTable<>(MetricTable.CALLS);
  private static final SqlTable<ServedMetrics> SERVED = new SqlTable<>(MetricTable.SERVED);
  private static final List<SqlTable<?>> ALL = List.of(FIGURES, CALLS, SERVED);

  static void prepare(Config config) {
    for (SqlTable<?> each : ALL) {
      OwnMap.in(config, each.map())
          .setBackupCount(0)
          .setTimeToLiveSeconds((int) PERIOD.multipliedBy(3).toSeconds());
    }
  }

  static List<String> mappings() {
    return ALL.stream().map(SqlTable::mapping).toList();
  }

  static void write(HazelcastInstance hazelcast, MetricsSnapshot now) {
    FIGURES.write(hazelcast, now.worker(), now.figures().entrySet());
    CALLS.write(hazelcast, now.worker(), now.calls());
    SERVED.write(hazelcast, now.worker(), now.served());
  }

  private String map() {
    return "hazelgrad." + table.name();
  }

  private String mapping() {
    String columns =
        Stream.concat(
                table.keys().keySet().stream().map(key -> key + " VARCHAR"),
                table.columns().stream().map(column -> "\"" + field(column) + "\" BIGINT"))
            .collect(Collectors.joining(", "));
    return """
        CREATE OR REPLACE MAPPING hazelgrad_%s EXTERNAL NAME "%s" (
          __key VARCHAR, worker VARCHAR, %s)
        TYPE IMap OPTIONS (
          'keyFormat' = 'varchar', 'valueFormat' = 'compact', 'valueCompactTypeName' = '%s')
        """
        .formatted(table.name(), map(), columns, map());
  }

  /** Returns the column's name in SQL, where a dot would lead into a nested record. */
  private static String field(MetricTable.Column<?> column) {
    return column.name().replace('.', '_');
  }

  private void write(HazelcastInstance hazelcast, String worker, Collection<T> rows) {
    Map<String, GenericRecord> records = new HashMap<>();
    for (T row : rows) {
      GenericRecordBuilder record = GenericRecordBuilder.compact(map()).setString("worker", worker);
      StringBuilder key = new StringBuilder(worker);
      table
          .keys()
          .forEach(
              (name, value) -> {
                record.setString(name, value.apply(row));
                key.append(' ').append(value.apply(row));
              });
      table
          .columns()
          .forEach(column -> record.setInt64(field(column), column.value().applyAsLong(row)));
      records.put(key.toString(), record.build());
    }
    hazelcast.<String, GenericRecord>getMap(map()).setAll(records);
  }
}
