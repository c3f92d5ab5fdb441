package io.hazelgrad.autograd.internal.history;

import com.hazelcast.config.Config;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MaxSizePolicy;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.serialization.genericrecord.GenericRecord;
import com.hazelcast.nio.serialization.genericrecord.GenericRecordBuilder;
import io.hazelgrad.autograd.ContextInfo;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.PassInfo.WaveTime;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.OwnMap;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The maps of open contexts and of passes. Their values are Compact records without classes, which
 * SQL and any Hazelcast client can read. A key begins with the id of its writer.
 */
public final class HistoryMaps {
  public static final Duration KEEP = Duration.ofHours(1);

  private static final String CONTEXTS = "hazelgrad.contexts";
  private static final String PASSES = "hazelgrad.passes";
  private static final String CONTEXT_TYPE = "hazelgrad.context";
  private static final String PASS_TYPE = "hazelgrad.pass";
  private static final String WAVE_TYPE = "hazelgrad.wave";

  /** The most passes in the map of one member; older ones are evicted. */
  private static final int MAX_PASSES = 20_000;

  private HistoryMaps() {}

  public static void prepare(Config config) {
    OwnMap.in(config, CONTEXTS);
    MapConfig passes = OwnMap.in(config, PASSES);
    if (passes.getTimeToLiveSeconds() == MapConfig.DEFAULT_TTL_SECONDS) {
      passes.setTimeToLiveSeconds((int) KEEP.toSeconds());
    }
    if (passes.getEvictionConfig().getEvictionPolicy() == EvictionPolicy.NONE) {
      passes
          .getEvictionConfig()
          .setEvictionPolicy(EvictionPolicy.LRU)
          .setMaxSizePolicy(MaxSizePolicy.PER_NODE)
          .setSize(MAX_PASSES);
    }
  }

  public static List<String> sqlMappings() {
    return List.of(
        mapping(
            "contexts",
            CONTEXTS,
            CONTEXT_TYPE,
            "id VARCHAR, originator VARCHAR, kind VARCHAR, since TIMESTAMP WITH TIME ZONE,"
                + " state VARCHAR"),
        mapping(
            "passes",
            PASSES,
            PASS_TYPE,
            "context VARCHAR, pass VARCHAR, attempt INTEGER, state VARCHAR, worker VARCHAR,"
                + " kind VARCHAR, workers VARCHAR, waves INTEGER, messages INTEGER, bytes BIGINT,"
                + " started TIMESTAMP WITH TIME ZONE, milliseconds DOUBLE, status VARCHAR,"
                + " error VARCHAR"));
  }

  private static String mapping(String name, String map, String type, String columns) {
    return """
        CREATE OR REPLACE MAPPING hazelgrad_%s EXTERNAL NAME "%s" (__key VARCHAR, %s)
        TYPE IMap OPTIONS (
          'keyFormat' = 'varchar', 'valueFormat' = 'compact', 'valueCompactTypeName' = '%s')
        """
        .formatted(name, map, columns, type);
  }

  static IMap<String, GenericRecord> contexts(HazelcastInstance hazelcast) {
    return hazelcast.getMap(CONTEXTS);
  }

  static IMap<String, GenericRecord> passes(HazelcastInstance hazelcast) {
    return hazelcast.getMap(PASSES);
  }

  /** Returns the key of the pass with this number in its initiator's log. */
  static String passKey(long initiator, long number) {
    return initiator + "-" + number;
  }

  /** Returns the id of the writer of a key. */
  static long writer(String key) {
    return Long.parseLong(key, 0, key.indexOf('-'), 10);
  }

  static GenericRecord write(ContextInfo context) {
    return GenericRecordBuilder.compact(CONTEXT_TYPE)
        .setString("id", context.id())
        .setString("originator", context.originator())
        .setString("kind", kind(context.isClient()))
        .setTimestampWithTimezone("since", time(context.since()))
        .setString("state", context.inBackward() ? "BACKWARD" : "OPEN")
        .build();
  }

  static ContextInfo context(GenericRecord row) {
    return new ContextInfo(
        text(row, "id"),
        text(row, "originator"),
        isClient(row),
        instant(row, "since"),
        "BACKWARD".equals(row.getString("state")));
  }

  static GenericRecord write(PassInfo pass) {
    return GenericRecordBuilder.compact(PASS_TYPE)
        .setString("context", pass.context())
        .setString("pass", pass.pass())
        .setInt32("attempt", pass.attempt())
        .setString("state", pass.state().name())
        .setString("worker", pass.worker())
        .setString("kind", kind(pass.isClient()))
        .setString("workers", String.join(", ", pass.workers()))
        .setInt32("waves", pass.waves())
        .setInt32("messages", pass.messages())
        .setNullableInt64("bytes", pass.bytes())
        .setTimestampWithTimezone("started", time(pass.started()))
        .setNullableFloat64("milliseconds", pass.milliseconds())
        .setString("status", pass.status())
        .setString("error", pass.error())
        .setArrayOfGenericRecord(
            "times", pass.times().stream().map(HistoryMaps::write).toArray(GenericRecord[]::new))
        .build();
  }

  static PassInfo pass(GenericRecord row) {
    return new PassInfo(
        text(row, "context"),
        row.getString("pass"),
        row.getInt32("attempt"),
        PassInfo.State.valueOf(text(row, "state")),
        text(row, "worker"),
        isClient(row),
        List.of(text(row, "workers").split(", ")),
        row.getInt32("waves"),
        row.getInt32("messages"),
        row.getNullableInt64("bytes"),
        instant(row, "started"),
        row.getNullableFloat64("milliseconds"),
        row.getString("status"),
        row.getString("error"),
        Stream.of(Objects.requireNonNull(row.getArrayOfGenericRecord("times"), "times"))
            .map(HistoryMaps::time)
            .toList());
  }

  private static GenericRecord write(WaveTime wave) {
    return GenericRecordBuilder.compact(WAVE_TYPE)
        .setString("worker", wave.worker())
        .setInt32("wave", wave.wave())
        .setTimestampWithTimezone("started", time(wave.started()))
        .setFloat64("milliseconds", wave.milliseconds())
        .build();
  }

  private static WaveTime time(GenericRecord row) {
    return new WaveTime(
        text(row, "worker"),
        row.getInt32("wave"),
        instant(row, "started"),
        row.getFloat64("milliseconds"));
  }

  private static String kind(boolean isClient) {
    return isClient ? "CLIENT" : "WORKER";
  }

  private static boolean isClient(GenericRecord row) {
    return "CLIENT".equals(row.getString("kind"));
  }

  private static OffsetDateTime time(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  private static Instant instant(GenericRecord row, String field) {
    return Objects.requireNonNull(row.getTimestampWithTimezone(field), field).toInstant();
  }

  private static String text(GenericRecord row, String field) {
    String text = row.getString(field);
    if (text == null) {
      throw new GridException(Status.BAD_VALUE, "a row without " + field + ": " + row);
    }
    return text;
  }
}
