package io.hazelgrad.rref.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.spi.merge.DiscardMergePolicy;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import org.junit.jupiter.api.Test;

class RRefExtensionTest {
  @Test
  void wildcardsOfApplicationStay() {
    MapConfig wildcard = new MapConfig("hazelgrad.*").setBackupCount(3);
    Config config = new Config().addMapConfig(wildcard);
    new RRefExtension().prepare(config, HazelgradConfig.named("w1").build());
    assertThat(wildcard.getInMemoryFormat()).isEqualTo(InMemoryFormat.BINARY);
    assertThat(wildcard.getBackupCount()).isEqualTo(3);
    MapConfig registry = config.findMapConfig(RegistryMap.NAME);
    assertThat(registry.getInMemoryFormat()).isEqualTo(InMemoryFormat.OBJECT);
    assertThat(registry.getMergePolicyConfig().getPolicy())
        .isEqualTo(DiscardMergePolicy.class.getName());
  }
}
