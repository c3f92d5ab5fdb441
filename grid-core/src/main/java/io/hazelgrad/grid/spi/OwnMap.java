package io.hazelgrad.grid.spi;

import com.hazelcast.config.Config;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.spi.merge.DiscardMergePolicy;
import com.hazelcast.spi.properties.ClusterProperty;
import com.hazelcast.spi.properties.HazelcastProperties;

/** A map that a module keeps for itself: its configuration, and when a write has its backup. */
public final class OwnMap {
  private OwnMap() {}

  /**
   * Returns the configuration of a map of a module, for the module to change; that of the
   * application if it has one of exactly this name. A smaller side's writes are not merged back.
   */
  public static MapConfig in(Config config, String name) {
    // Not by getMapConfig(name): that returns, and so would change, an application's wildcard.
    MapConfig map = config.getMapConfigs().get(name);
    if (map == null) {
      map = new MapConfig(name);
      config.addMapConfig(map);
    }
    return map.setMergePolicyConfig(
        new MergePolicyConfig().setPolicy(DiscardMergePolicy.class.getName()));
  }

  /**
   * Returns the time after which Hazelcast answers a write whose backup is silent, and does not say
   * so. An answer that took less time has its backup.
   */
  public static long backupTimeoutMillis(GridContext context) {
    return new HazelcastProperties(
            context.isClient() ? null : context.hazelcast().getConfig().getProperties())
        .getMillis(ClusterProperty.OPERATION_BACKUP_TIMEOUT_MILLIS);
  }
}
