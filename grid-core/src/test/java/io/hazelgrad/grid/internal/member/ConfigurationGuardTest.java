package io.hazelgrad.grid.internal.member;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.hazelcast.config.Config;
import com.hazelcast.config.DataPersistenceConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.PermissionConfig;
import com.hazelcast.config.SocketInterceptorConfig;
import com.hazelcast.config.WanReplicationConfig;
import com.hazelcast.config.WanReplicationRef;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings that a grid refuses to start with. */
class ConfigurationGuardTest {
  static Stream<Arguments> settings() {
    return Stream.of(
        setting(
            "client permissions",
            config ->
                config
                    .getSecurityConfig()
                    .addClientPermissionConfig(
                        new PermissionConfig(PermissionConfig.PermissionType.MAP, "*", "*"))),
        setting("license key", config -> config.setLicenseKey("HazelcastEnterprise#1")),
        setting("user code deployment", ConfigurationGuardTest::deployUserCode),
        setting(
            "WAN replication [w]",
            config -> config.addWanReplicationConfig(new WanReplicationConfig().setName("w"))),
        setting(
            "WAN replication of the map m",
            config ->
                config.addMapConfig(
                    new MapConfig("m").setWanReplicationRef(new WanReplicationRef()))),
        setting(
            "data persistence of the map m",
            config ->
                config.addMapConfig(
                    new MapConfig("m")
                        .setDataPersistenceConfig(new DataPersistenceConfig().setEnabled(true)))),
        setting(
            "socket interceptor at network",
            config ->
                config
                    .getNetworkConfig()
                    .setSocketInterceptorConfig(
                        new SocketInterceptorConfig().setEnabled(true).setClassName("x.Y"))),
        setting(
            "scripting", config -> config.getManagementCenterConfig().setScriptingEnabled(true)),
        setting("console", config -> config.getManagementCenterConfig().setConsoleEnabled(true)),
        setting("resource upload", config -> config.getJetConfig().setResourceUploadEnabled(true)));
  }

  private static Arguments setting(String named, Consumer<Config> set) {
    return Arguments.of(named, set);
  }

  // It is the deprecated one that Hazelcast ignores.
  @SuppressWarnings("removal")
  private static void deployUserCode(Config config) {
    config.getUserCodeDeploymentConfig().setEnabled(true);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("settings")
  void settingIsRefusedByName(String named, Consumer<Config> set) {
    Config config = new Config();
    set.accept(config);
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> HazelgradConfig.named("w").build().prepare(config))
        .withMessageContaining(named)
        .satisfies(e -> assertStatus(e.status()));
  }

  private static void assertStatus(Status status) {
    org.assertj.core.api.Assertions.assertThat(status).isEqualTo(Status.BAD_CONFIG);
  }

  @Test
  void usualConfigurationIsAccepted() {
    assertThatNoException()
        .isThrownBy(() -> HazelgradConfig.named("w").build().prepare(new Config()));
  }
}
