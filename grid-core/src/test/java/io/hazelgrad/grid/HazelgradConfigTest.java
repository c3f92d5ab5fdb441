package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.hazelcast.config.Config;
import com.hazelcast.config.ExecutorConfig;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.MapConfig;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.member.WorkerIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HazelgradConfigTest {
  @ParameterizedTest
  @ValueSource(strings = {"abc*", " ", "a b", "ä", "a.b", "a\n"})
  void namesFollowPattern(String name) {
    refused(name, "letters, digits");
  }

  @Test
  void namesAreNeitherEmptyNorLong() {
    refused("", "must not be empty");
    refused("x".repeat(500), "1 to 127");
    refused("x".repeat(128), "1 to 127");
    assertThat(HazelgradConfig.named("x".repeat(127)).build().name()).hasSize(127);
    assertThat(HazelgradConfig.named("Trainer-1_a:b").build().name()).isEqualTo("Trainer-1_a:b");
  }

  private static void refused(String name, String message) {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> HazelgradConfig.named(name))
        .withMessageContaining(message)
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG));
  }

  @Test
  void limitsAreChecked() {
    HazelgradConfig.Builder builder = HazelgradConfig.named("w");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> builder.callTimeout(Duration.ofMillis(-1)))
        .withMessageContaining("callTimeout must not be negative");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> builder.maxRunning(0))
        .withMessageContaining("maxRunning must be at least 1: 0");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> builder.maxWaiting(-5))
        .withMessageContaining("maxWaiting");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> builder.reconcileEvery(Duration.ZERO))
        .withMessageContaining("reconcileEvery");
    assertThat(builder.callTimeout(Duration.ZERO).build().callTimeout()).isZero();
  }

  @Test
  void settingsOfApplicationStay() {
    Config config = new Config();
    config.addMapConfig(new MapConfig(WorkerIds.MAP).setBackupCount(2));
    config.addMapConfig(new MapConfig("hazelgrad*").setBackupCount(0).setTimeToLiveSeconds(7));
    config.addMapConfig(new MapConfig("mine").setBackupCount(5));
    config.addExecutorConfig(new ExecutorConfig("mine", 9));
    config.setProperty("hazelcast.operation.response.thread.count", "2");
    config
        .getSerializationConfig()
        .setJavaSerializationFilterConfig(new JavaSerializationFilterConfig());
    config
        .getSerializationConfig()
        .getJavaSerializationFilterConfig()
        .getWhitelist()
        .addClasses("org.example.Mine");
    config.getMemberAttributeConfig().setAttribute("mine", "yes");

    assertThat(HazelgradConfig.named("w").build().prepare(config)).isSameAs(config);

    assertThat(config.getExecutorConfig("mine").getPoolSize()).isEqualTo(9);
    assertThat(config.getExecutorConfig("default").getPoolSize())
        .isEqualTo(ExecutorConfig.DEFAULT_POOL_SIZE);
    assertThat(config.getMapConfig(WorkerIds.MAP).getBackupCount()).isEqualTo(2);
    assertThat(config.getMapConfig("hazelgrad*"))
        .isEqualTo(new MapConfig("hazelgrad*").setBackupCount(0).setTimeToLiveSeconds(7));
    assertThat(config.getMapConfig("mine").getBackupCount()).isEqualTo(5);
    assertThat(config.getMapConfig(Directory.WORKERS).getTimeToLiveSeconds()).isZero();
    assertThat(config.getMapConfig("default")).isEqualTo(new MapConfig("default"));
    assertThat(config.getProperty("hazelcast.operation.response.thread.count")).isEqualTo("2");
    assertThat(config.getProperty("hazelcast.phone.home.enabled")).isEqualTo("false");
    assertThat(
            config
                .getSerializationConfig()
                .getJavaSerializationFilterConfig()
                .getWhitelist()
                .isListed("org.example.Mine"))
        .isTrue();
    assertThat(config.getMemberAttributeConfig().getAttribute("mine")).isEqualTo("yes");
  }

  @Test
  void systemPropertiesOfApplicationStay() {
    System.setProperty("hazelcast.shutdownhook.policy", "TERMINATE");
    try {
      Config config = HazelgradConfig.named("w").build().prepare(new Config());
      assertThat(config.getProperties()).doesNotContainKey("hazelcast.shutdownhook.policy");
    } finally {
      System.clearProperty("hazelcast.shutdownhook.policy");
    }
  }

  @Test
  void configurationMayBePreparedTwice() {
    HazelgradConfig hazelgrad = HazelgradConfig.named("w").build();
    Config config = hazelgrad.prepare(new Config());
    assertThatNoException().isThrownBy(() -> hazelgrad.prepare(config));
    assertThat(config.getMapConfig(WorkerIds.MAP).getBackupCount()).isEqualTo(6);
  }

  @Test
  void yamlFilesMayUseSystemProperties(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("hazelcast.yaml");
    Files.writeString(file, "hazelcast:\n  cluster-name: ${test.cluster}\n");
    System.setProperty("test.cluster", "from-property");
    try {
      assertThat(HazelgradConfig.readYaml(file).getClusterName()).isEqualTo("from-property");
    } finally {
      System.clearProperty("test.cluster");
    }
    Files.writeString(file, "hazelcast:\n  no-such-option: 1\n");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> HazelgradConfig.readYaml(file))
        .withMessageContaining(file.toString())
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG));
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> HazelgradConfig.readYaml(folder.resolve("missing.yaml")))
        .withMessageContaining("no readable configuration file");
  }
}
