package io.hazelgrad.rref.internal.runtime;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.map.impl.eviction.MapClearExpiredRecordsTask;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.OwnMap;
import io.hazelgrad.rref.RRefId;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.rref.internal.durable.StoredValueMap;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.registry.RRefSerializerFactory;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.util.List;

/** Adds remote references to every grid and every client; found by them. */
public final class RRefExtension implements GridExtension {
  /** For the service loader. */
  public RRefExtension() {}

  @Override
  public int order() {
    return 10;
  }

  @Override
  public void prepare(Config config) {
    config
        .getSerializationConfig()
        .addDataSerializableFactory(RRefSerializerFactory.FACTORY_ID, new RRefSerializerFactory());
    OwnMap.in(config, RegistryMap.NAME).setInMemoryFormat(InMemoryFormat.OBJECT).setBackupCount(1);
    MapConfig values = OwnMap.in(config, StoredValueMap.NAME);
    values
        .setInMemoryFormat(InMemoryFormat.BINARY)
        .setBackupCount(Math.max(1, values.getBackupCount()));
    // By default a member of two cores looks at a partition every four minutes, and at a tenth of
    // what may have ended there: thousands of tombstones a second would never go.
    setDefault(config, MapClearExpiredRecordsTask.PROP_CLEANUP_PERCENTAGE, "100");
    setDefault(config, MapClearExpiredRecordsTask.PROP_CLEANUP_OPERATION_COUNT, "1000");
  }

  private static void setDefault(Config config, String property, String value) {
    if (config.getProperty(property) == null) {
      config.setProperty(property, value);
    }
  }

  @Override
  public void prepareClient(ClientConfig config) {
    config
        .getSerializationConfig()
        .addDataSerializableFactory(RRefSerializerFactory.FACTORY_ID, new RRefSerializerFactory());
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
    return new RRefs(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return new RRefs(context);
  }
}
