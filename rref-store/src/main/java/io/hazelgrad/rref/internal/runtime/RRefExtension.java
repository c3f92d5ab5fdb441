package io.hazelgrad.rref.internal.runtime;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SerializationConfig;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.OwnMap;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefOptions;
import io.hazelgrad.rref.internal.object.StoredValues;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.TypeIds;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.util.List;

/** Adds remote references to every grid and client; the service loader finds it. */
public final class RRefExtension implements GridExtension {
  @Override
  public int order() {
    return 10;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {
    prepare(config.getSerializationConfig());
    // An entry without its value, or a value without its entry, is a lost object.
    int backups = worker.options(RRefOptions.defaults()).durableBackups();
    OwnMap.in(config, RegistryMap.NAME)
        .setInMemoryFormat(InMemoryFormat.OBJECT)
        .setBackupCount(backups);
    MapConfig values = OwnMap.in(config, StoredValues.NAME);
    values.setInMemoryFormat(InMemoryFormat.BINARY);
    values.setBackupCount(Math.max(backups, values.getBackupCount()));
    setDefault(config, "hazelcast.internal.map.expiration.cleanup.percentage", "100");
    setDefault(config, "hazelcast.internal.map.expiration.cleanup.operation.count", "1000");
  }

  /**
   * Sets a property of expiry that the application did not set. By default a member with two cores
   * looks at a partition every four minutes and at a tenth of its expired entries. That is too slow
   * for thousands of tombstones per second. A Hazelcast that does not know the names frees their
   * memory later.
   */
  private static void setDefault(Config config, String property, String value) {
    if (config.getProperty(property) == null) {
      config.setProperty(property, value);
    }
  }

  @Override
  public void prepareClient(ClientConfig config) {
    prepare(config.getSerializationConfig());
  }

  private static void prepare(SerializationConfig config) {
    config.addDataSerializableFactory(TypeIds.FACTORY, new RRefSerializerFactory());
  }

  @Override
  public List<String> sqlMappings() {
    return List.of(
        """
        CREATE OR REPLACE MAPPING hazelgrad_rrefs EXTERNAL NAME "%s" (
          creator BIGINT EXTERNAL NAME "__key.creator",
          sequence BIGINT EXTERNAL NAME "__key.sequence",
          owner BIGINT,
          state VARCHAR EXTERNAL NAME "this.stateName",
          type VARCHAR,
          epoch INTEGER,
          forks INTEGER EXTERNAL NAME "this.forkCount",
          holders VARCHAR EXTERNAL NAME "this.holderIds")
        TYPE IMap OPTIONS (
          'keyFormat' = 'java', 'keyJavaClass' = '%s',
          'valueFormat' = 'java', 'valueJavaClass' = '%s')
        """
            .formatted(RegistryMap.NAME, RRefId.class.getName(), Entry.class.getName()));
  }

  @Override
  public Object start(GridContext context) {
    return new RRefService(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return new RRefService(context);
  }
}
