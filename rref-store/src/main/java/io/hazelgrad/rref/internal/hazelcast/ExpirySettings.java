package io.hazelgrad.rref.internal.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.map.impl.eviction.MapClearExpiredRecordsTask;

/** Makes Hazelcast remove expired entries, the registry's tombstones, as fast as they arise. */
public final class ExpirySettings {
  private ExpirySettings() {}

  /**
   * Sets the properties that the application did not set. By default a member with two cores looks
   * at a partition every four minutes and at a tenth of its expired entries. That is too slow for
   * thousands of tombstones per second.
   */
  public static void apply(Config config) {
    setDefault(config, MapClearExpiredRecordsTask.PROP_CLEANUP_PERCENTAGE, "100");
    setDefault(config, MapClearExpiredRecordsTask.PROP_CLEANUP_OPERATION_COUNT, "1000");
  }

  private static void setDefault(Config config, String property, String value) {
    if (config.getProperty(property) == null) {
      config.setProperty(property, value);
    }
  }
}
