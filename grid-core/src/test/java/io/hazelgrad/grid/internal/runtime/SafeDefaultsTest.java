package io.hazelgrad.grid.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of what a configuration gets that does not say where its member listens. */
class SafeDefaultsTest {
  private final Config config = new Config();

  @Test
  void memberListensOnLoopbackWhenNothingIsSaid() {
    SafeDefaults.complete(config);

    NetworkConfig network = config.getNetworkConfig();
    assertThat(network.getInterfaces().isEnabled()).isTrue();
    assertThat(network.getInterfaces().getInterfaces()).containsExactly("127.0.0.1");
    assertThat(config.getProperty("hazelcast.socket.bind.any")).isEqualTo("false");
    assertThat(network.getJoin().isAutoDetectionEnabled()).isFalse();
    assertThat(network.getJoin().getTcpIpConfig().getMembers()).containsExactly("127.0.0.1");
    assertThat(network.getPort()).isEqualTo(5801);
    assertThat(config.getClusterName()).isEqualTo("hazelgrad");
    assertThat(config.getProperty("hazelcast.max.no.heartbeat.seconds")).isEqualTo("5");
    assertThat(config.getProperty("hazelcast.partition.count")).isEqualTo("61");
  }

  @Test
  void portNameAndHeartbeatOfApplicationStay() {
    config.setClusterName("shop").setProperty("hazelcast.max.no.heartbeat.seconds", "9");
    config.getNetworkConfig().setPort(7000);

    SafeDefaults.complete(config);

    assertThat(config.getClusterName()).isEqualTo("shop");
    assertThat(config.getNetworkConfig().getPort()).isEqualTo(7000);
    assertThat(config.getNetworkConfig().getInterfaces().isEnabled()).isTrue();
    assertThat(config.getProperty("hazelcast.max.no.heartbeat.seconds")).isEqualTo("9");
  }

  /** Returns ways to say something about the network. */
  static Stream<Named<Consumer<Config>>> words() {
    return Stream.of(
        Named.of(
            "an interface",
            config ->
                config
                    .getNetworkConfig()
                    .getInterfaces()
                    .setEnabled(true)
                    .addInterface("10.0.*.*")),
        Named.of(
            "every interface", config -> config.setProperty("hazelcast.socket.bind.any", "true")),
        Named.of("an address", config -> config.getNetworkConfig().setPublicAddress("10.0.0.1")),
        Named.of("members", config -> join(config).getTcpIpConfig().setEnabled(true)),
        Named.of("Kubernetes", config -> join(config).getKubernetesConfig().setEnabled(true)),
        Named.of("endpoints", config -> config.getAdvancedNetworkConfig().setEnabled(true)));
  }

  private static JoinConfig join(Config config) {
    return config.getNetworkConfig().getJoin();
  }

  @ParameterizedTest
  @MethodSource("words")
  void networkOfApplicationStays(Consumer<Config> words) {
    words.accept(config);
    String before = config.getNetworkConfig().toString();

    SafeDefaults.complete(config);

    assertThat(config.getNetworkConfig()).hasToString(before);
    assertThat(config.getClusterName()).isEqualTo(Config.DEFAULT_CLUSTER_NAME);
    assertThat(config.getProperty("hazelcast.partition.count")).isNull();
  }
}
