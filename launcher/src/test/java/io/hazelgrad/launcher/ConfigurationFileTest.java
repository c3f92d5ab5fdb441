package io.hazelgrad.launcher;

import static com.hazelcast.client.properties.ClientProperty.HEARTBEAT_INTERVAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of configuration files against Hazelcast's schema. */
class ConfigurationFileTest {
  private static final String CHECK = "hazelcast.config.schema.validation.enabled";
  private static final Path SHIPPED = MemberSettings.defaultFile();
  private static final String PARTITIONS = "hazelcast.partition.count";

  private final String before = System.getProperty(CHECK, "");

  @TempDir private Path folder;

  @BeforeEach
  void check() {
    System.clearProperty(CHECK);
  }

  @AfterEach
  void restore() {
    if (!before.isEmpty()) {
      System.setProperty(CHECK, before);
    }
  }

  @Test
  void theShippedFileHasTheNotedChecksumAndFitsTheSchema() throws IOException {
    assertThat(ConfigurationFile.checksum(SHIPPED))
        .as("hazelcast.yaml was edited: note its new checksum in ConfigurationFile.SHIPPED")
        .isEqualTo(ConfigurationFile.SHIPPED);
    assertThat(HazelgradConfig.readYaml(SHIPPED).getClusterName()).isEqualTo("hazelgrad");
  }

  /** Members with different numbers of partitions do not join each other. */
  @Test
  void theShippedFileHasThePartitionsOfAMemberWithoutAFile() {
    Config without = HazelgradConfig.named("w1").build().prepare(new Config());
    assertThat(HazelgradConfig.readYaml(SHIPPED).getProperty(PARTITIONS))
        .isEqualTo(without.getProperty(PARTITIONS));
  }

  /** A member that is less patient drops clients that are idle, not dead. */
  @Test
  void theShippedFileAllowsAClientToMissAHeartbeat() {
    long silence =
        Long.parseLong(
            HazelgradConfig.readYaml(SHIPPED)
                .getProperty("hazelcast.client.max.no.heartbeat.seconds"));
    long betweenHeartbeats = Long.parseLong(HEARTBEAT_INTERVAL.getDefaultValue());
    assertThat(Duration.ofSeconds(silence)).isGreaterThan(Duration.ofMillis(2 * betweenHeartbeats));
  }

  @Test
  void anEditedFileIsCheckedAfterTheShippedOne() throws IOException {
    String text = Files.readString(SHIPPED);
    Path edited =
        Files.writeString(
            folder.resolve("edited.yaml"), text.replace("scripting-enabled", "scripting-enabeld"));
    assertThat(ConfigurationFile.read(SHIPPED).getClusterName()).isEqualTo("hazelgrad");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> ConfigurationFile.read(edited))
        .withMessageContaining("scripting-enabeld");
  }
}
