package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.AliasedDiscoveryConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.instance.EndpointQualifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/operations.md says to write into files is read by those who shall read it. */
class OperationsDocTest {
  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home"));

  @TempDir private Path folder;

  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  private static List<String> blocks() throws IOException {
    return YAML.matcher(Files.readString(HOME.resolve("docs").resolve("operations.md")))
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  /** The grid's configuration with the block's advanced network in the place of its own. */
  private Config configuration(String block) throws IOException {
    Config config =
        HazelgradConfig.readYaml(Files.writeString(folder.resolve("block.yaml"), block));
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig();
    return HazelgradConfig.readYaml(HOME.resolve("hazelcast.yaml"))
        .setAdvancedNetworkConfig(network);
  }

  private static List<Boolean> ways(JoinConfig join) {
    return Stream.concat(
            Stream.of(
                join.getTcpIpConfig().isEnabled(),
                join.getMulticastConfig().isEnabled(),
                join.isAutoDetectionEnabled()),
            Stream.of(
                    join.getKubernetesConfig(),
                    join.getAwsConfig(),
                    join.getGcpConfig(),
                    join.getAzureConfig())
                .map(AliasedDiscoveryConfig::isEnabled))
        .filter(enabled -> enabled)
        .toList();
  }

  @Test
  void blocksAreReadByHazelcastAndAdmittedByGrid() throws IOException {
    List<String> found = blocks().stream().filter(text -> text.startsWith("hazelcast:")).toList();
    assertThat(found).hasSize(5);
    for (String block : found) {
      Config config = HazelgradConfig.named("w1").build().prepare(configuration(block));
      AdvancedNetworkConfig network = config.getAdvancedNetworkConfig();
      assertThat(network.isEnabled()).isTrue();
      assertThat(ways(network.getJoin())).as(block).hasSize(1);
      assertThat(port(network, EndpointQualifier.MEMBER)).isEqualTo(5801);
      assertThat(port(network, EndpointQualifier.CLIENT)).isEqualTo(5701);
    }
  }

  private static int port(AdvancedNetworkConfig network, EndpointQualifier which) {
    return ((ServerSocketEndpointConfig) network.getEndpointConfigs().get(which)).getPort();
  }

  /** Two members find each other as in Kubernetes, by a name and a port. */
  @Test
  void membersFindEachOtherByServiceName() throws IOException {
    String block =
        blocks().stream().filter(text -> text.contains("kubernetes:")).findFirst().orElseThrow();
    int service = grids.config().getNetworkConfig().getPort();
    Grid one = grids.join(HazelgradConfig.named("one"), byService(block, service, service));
    int other = grids.config().getNetworkConfig().getPort();
    Grid two = grids.join(HazelgradConfig.named("two"), byService(block, service, other));
    assertThat(one.hazelcast().getCluster().getMembers()).hasSize(2);
    assertThat(two.rpc().sync("one", Calls::length, "abc")).isEqualTo(3);
  }

  private Config byService(String block, int service, int port) throws IOException {
    Config config = configuration(block).setClusterName("operations-" + service);
    config.setProperty("hazelcast.partition.count", "11");
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig();
    network
        .getJoin()
        .getKubernetesConfig()
        .setProperty("service-dns", "localhost")
        .setProperty("service-port", Integer.toString(service));
    for (EndpointQualifier which : List.of(EndpointQualifier.MEMBER, EndpointQualifier.CLIENT)) {
      ServerSocketEndpointConfig endpoint =
          (ServerSocketEndpointConfig)
              Objects.requireNonNull(network.getEndpointConfigs().get(which));
      endpoint.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
      endpoint.setPort(which.equals(EndpointQualifier.MEMBER) ? port : 0);
    }
    return config;
  }
}
