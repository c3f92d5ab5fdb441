package io.hazelgrad.grid.internal.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.sql.HazelcastSqlException;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives SQL the columns of the grid's maps, if {@code hazelcast-sql} is on the class path: with it,
 * every peer that connects can also read the files of the member's process. Mappings lie in the
 * cluster, so each member that starts makes the same again.
 */
public final class SqlMappings {
  /** The mappings of this package's maps, whose values {@link WorkerSerializer} writes. */
  public static final List<String> WORKERS =
      List.of(
          workers("workers", Directory.WORKERS, "VARCHAR"),
          workers("clients", ClientDirectory.CLIENTS, "BIGINT"));

  private static final Logger LOG = LoggerFactory.getLogger(SqlMappings.class);

  private SqlMappings() {}

  private static String workers(String name, String map, String key) {
    String columns = "id BIGINT, name VARCHAR, incarnation VARCHAR";
    return of(name, map, key, columns, WorkerSerializer.TYPE_NAME);
  }

  /** Returns the statement for a map whose values are Compact records of a type. */
  public static String of(String name, String map, String key, String columns, String type) {
    return """
    CREATE OR REPLACE MAPPING hazelgrad_%s EXTERNAL NAME "%s" (__key %s, %s)
    TYPE IMap OPTIONS (
      'keyFormat' = '%s', 'valueFormat' = 'compact', 'valueCompactTypeName' = '%s')
    """
        .formatted(name, map, key, columns, key.toLowerCase(Locale.ROOT), type);
  }

  /** Returns whether {@code hazelcast-sql} is there. Hazelcast has no public way to ask. */
  public static boolean isPossible() {
    return HazelcastInstance.class.getResource("/com/hazelcast/sql/impl/SqlServiceImpl.class")
        != null;
  }

  /** Creates mappings, on a member that has SQL. */
  public static void make(HazelcastInstance hazelcast, List<String> mappings) {
    for (String mapping : mappings) {
      try {
        hazelcast.getSql().execute(mapping).close();
        LOG.debug("made for SQL: {}", mapping);
      } catch (HazelcastSqlException e) {
        LOG.warn("SQL will not find what this was to make: {}", mapping, e);
      }
    }
  }
}
